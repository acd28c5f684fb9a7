import Foundation
import ServerFixtures
import Testing

/// The traits of the package, with stand-ins for the packages that they need: the same interface, written here, as local
/// repositories that take the place of those in the network.
@Suite("Traits", .timeLimit(.minutes(60)))
struct TraitTests {
    private func run(_ words: String...) async throws -> String {
        let (status, output) = try await OutsideProgram.run(words)
        guard status == 0 else { throw ExamplePackage.Failure(description: "\(words): \(output.suffix(4000))") }
        return output
    }

    @Test("a consumer with all traits logs to its logger, counts with its metrics, and runs a client as a service")
    func consumer() async throws {
        let root = ProjectFile.root.path(percentEncoded: false)
        let source = root + "Tests/DocumentationTests/StandIns"
        let folder = root + ".build/traits"
        let files = FileManager.default
        for name in ["Consumer", "repositories"] { try? files.removeItem(atPath: "\(folder)/\(name)") }
        try files.createDirectory(atPath: "\(folder)/repositories", withIntermediateDirectories: true)
        var mirrors: [[String: String]] = []
        for (owner, name, version) in [
            ("apple", "swift-log", "1.6.0"), ("apple", "swift-metrics", "2.5.0"),
            ("swift-server", "swift-service-lifecycle", "2.6.0"),
        ] {
            let repository = "\(folder)/repositories/\(name)"
            try files.copyItem(atPath: "\(source)/\(name)", toPath: repository)
            for words in [
                ["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "stand-in"], ["tag", version],
            ] {
                let (status, output) = try await OutsideProgram.run(
                    ["git", "-C", repository, "-c", "user.name=test", "-c", "user.email=test@xmpp.test"] + words)
                #expect(status == 0, "\(output)")
            }
            mirrors.append(["original": "https://github.com/\(owner)/\(name).git", "mirror": "file://\(repository)"])
        }
        let consumer = "\(folder)/Consumer"
        try files.copyItem(atPath: "\(source)/Consumer", toPath: consumer)
        let manifest = try String(contentsOfFile: "\(consumer)/Package.swift", encoding: .utf8)
        try manifest.replacingOccurrences(of: "LIBRARY", with: root)
            .write(toFile: "\(consumer)/Package.swift", atomically: true, encoding: .utf8)
        let settings = "\(consumer)/.swiftpm/configuration"
        try files.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try JSONSerialization.data(withJSONObject: ["object": mirrors, "version": 1] as [String: Any])
            .write(to: URL(filePath: "\(settings)/mirrors.json"))

        // The repositories are new each time, so nothing of the ones before may be remembered.
        let package = ExamplePackage(folder: consumer, products: "\(folder)/products")
        for name in ["repositories", "checkouts", "workspace-state.json"] {
            try? files.removeItem(atPath: "\(package.products)/\(name)")
        }
        // Nor do the fingerprints of an earlier run count, which SwiftPM keeps for the user.
        try await package.swift([
            "build", "--cache-path", "\(folder)/cache", "--resolver-fingerprint-checking", "warn", "--product",
            "Consumer",
        ])
        let output = try await run(package.program("Consumer"))
        #expect(output.hasSuffix("ended\n"), "\(output)")
        #expect(output.contains("bot debug: connecting\n"), "\(output)")
        #expect(output.contains("bot trace: sends message chat "), "\(output)")
        #expect(!output.contains("Juliet"), "XML is not logged unless the program wants it.")
        #expect(output.contains("xmpp_online = 1\n"), "\(output)")
        #expect(output.contains("xmpp_stanzas_sent kind=message += 1\n"), "\(output)")
        #expect(output.contains("xmpp_connections resumed=false += 1\n"), "\(output)")
    }

    @Test("without a trait nothing of a guarded package is fetched")
    func off() throws {
        let manifest = try ProjectFile("Package.swift").text
        for trait in ["LoggingSupport", "MetricsSupport", "ServiceLifecycleSupport"] {
            #expect(manifest.contains("\"\(trait)\""))
            #expect(try ProjectFile("README.md").text.contains(trait))
        }
        #expect(!manifest.contains("enabledTraits:"))
        let root = ProjectFile.root.path(percentEncoded: false)
        #expect(!FileManager.default.fileExists(atPath: root + "Package.resolved"))
    }
}
