import Foundation
import ServerFixtures
import Testing

/// `Scripts/api-changes` in a small package: that of this one builds everything twice.
@Suite("Changes of the public interface", .timeLimit(.minutes(20)))
struct InterfaceChangeTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "interface-\(UUID().uuidString)")
    private static let author = ["-c", "user.name=test", "-c", "user.email=test@xmpp.test"]

    private func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func git(_ words: String...) async throws {
        let path = folder.path(percentEncoded: false)
        let (status, output) = try await OutsideProgram.run(["git", "-C", path] + Self.author + words)
        try #require(status == 0, "\(words): \(output)")
    }

    private func check() async throws -> (status: Int32, output: String) {
        try await OutsideProgram.run([
            "bash", folder.appending(path: "Scripts/api-changes").path(percentEncoded: false),
        ])
    }

    private func manifest(_ modules: [String]) throws {
        let targets = modules.map { #".target(name: "\#($0)")"# }.joined(separator: ", ")
        try write(
            "Package.swift",
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Small", products: [.library(name: "Small", targets: \(modules))], targets: [\(targets)])
            """)
    }

    @Test(
        "what breaks programs is named and an error, until it is accepted; before the first release there is nothing to compare"
    )
    func changes() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["api-changes", "pkg-config-path"] {
            try write("Scripts/\(name)", ProjectFile("Scripts/\(name)").text)
        }
        // Its packages are there: the tests are built.
        try write("Scripts/packages", "#!/bin/sh\n")
        for name in ["pkg-config-path", "packages"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700],
                ofItemAtPath: folder.appending(path: "Scripts/\(name)").path(percentEncoded: false))
        }
        try write(".gitignore", ".build\n")
        try manifest(["Small", "Other"])
        try write("Sources/Small/Bird.swift", "public struct Bird { public func fly() {}; public func sing() {} }\n")
        try write("Sources/Other/Nest.swift", "public struct Nest {}\n")
        try await git("init", "--quiet")
        try await git("add", ".")
        try await git("commit", "--quiet", "--message", "first")
        let before = try await check()
        #expect(before.status == 0 && before.output.contains("no release yet"), "\(before.output)")

        try await git("tag", "v0.1.0")
        try write("Sources/Small/Bird.swift", "public struct Bird { public func fly() {}; public func swim() {} }\n")
        try FileManager.default.removeItem(at: folder.appending(path: "Sources/Other"))
        try manifest(["Small"])
        try await git("commit", "--quiet", "--all", "--message", "second")
        let broken = try await check()
        let lines = [
            "API breakage: func Bird.sing() has been removed", "API breakage: module Other in Small has been removed",
        ]
        #expect(broken.status == 1, "\(broken.output)")
        for line in lines { #expect(broken.output.contains(line), "\(broken.output)") }
        #expect(!broken.output.contains("swim"))

        try write("Documentation/api-changes.txt", lines.joined(separator: "\n") + "\n")
        let accepted = try await check()
        #expect(accepted.status == 0, "\(accepted.output)")
    }
}
