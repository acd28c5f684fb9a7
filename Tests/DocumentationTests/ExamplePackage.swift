import Foundation
import ServerFixtures

/// A package outside of this one that depends on it by its path, as the package of a user does.
struct ExamplePackage: Sendable {
    /// `Examples/Programs`, built once for all tests. Its products stay beside those of this package, so that the next build is
    /// short.
    static let programs = Task {
        let root = ProjectFile.root.path(percentEncoded: false)
        var package = ExamplePackage(folder: root + "Examples/Programs", products: root + ".build/programs")
        package.output = try await package.swift(["build", "--build-tests"])
        return package
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: String
    let products: String
    /// What the first build has printed.
    var output = ""

    /// Runs `swift` in the package; throws its output if it fails.
    @discardableResult
    func swift(_ words: [String]) async throws -> String {
        let (_, path) = try await OutsideProgram.run([
            "sh", "-c", "cd \"$0\" && Scripts/pkg-config-path", ProjectFile.root.path(percentEncoded: false),
        ])
        var options = words
        options.insert(
            contentsOf: [
                "--package-path", folder, "--scratch-path", products, "--pkg-config-path",
                path.trimmingCharacters(in: .whitespacesAndNewlines),
                // Other tests run at the same time.
                "--jobs", "2",
            ], at: 1)
        let (status, output) = try await OutsideProgram.run(["nice", "swift"] + options)
        guard status == 0 else { throw Failure(description: String(output.suffix(6000))) }
        return output
    }

    /// The path of a program.
    func program(_ name: String) -> String { "\(products)/debug/\(name)" }
}
