import Foundation
import Glibc

/// The newer server releases, which `Scripts/backports` unpacks without installing them.
enum Backports {
    /// The directory of the script, by the same rule as there.
    static var directory: String {
        let environment = ProcessInfo.processInfo.environment
        let cache =
            geteuid() == 0
            ? "/var/cache" : environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "") + "/.cache"
        return "\(cache)/hongyan-tests/bookworm-backports"
    }

    /// The path of a file or directory in it.
    static func path(_ name: String) throws(FixtureError) -> String {
        let path = "\(directory)/\(name)"
        guard access(path, R_OK) == 0 else {
            throw FixtureError(.missingProgram, "\(path) is not there; `Scripts/packages test` fetches it.")
        }
        return path
    }

    /// The `ebin` directories of the newer ejabberd and of the Erlang applications that came with it.
    static func erlangCode() throws(FixtureError) -> [String] {
        let files = FileManager.default
        let libraries = try path("ejabberd/usr/lib")
        var parents = ["\(libraries)/erlang/lib"]
        for name in (try? files.contentsOfDirectory(atPath: libraries)) ?? [] where name.hasSuffix("-linux-gnu") {
            parents.append("\(libraries)/\(name)")
        }
        var code: [String] = []
        for parent in parents {
            for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
                let directory = "\(parent)/\(name)/ebin"
                if files.fileExists(atPath: directory) { code.append(directory) }
            }
        }
        guard code.contains(where: { $0.contains("/ejabberd-") }) else { throw .missing("ejabberd 24.12") }
        return code.sorted()
    }
}
