import Foundation
import GTKBinding
import Testing
import WindowFixtures

@testable import ChatApp

extension WindowTests {
    @MainActor
    @Suite("Icons")
    struct IconTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("every icon used by the windows is in the theme of the oldest supported desktop")
        func names() throws {
            let tests = URL(filePath: #filePath).deletingLastPathComponent()
            let sources = tests.appending(path: "../../Sources/ChatApp").standardized.path
            let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
            var names: Set<String> = []
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
                names.formUnion(text.matches(of: /"([a-z0-9-]+-symbolic)"/).map { String($0.output.1) })
            }
            #expect(names.count > 20)
            for name in names.sorted() { #expect(ToolkitSettings.hasIcon(name), "\(name)") }
        }

        @Test("the program's own icon is found where it was built and where it was installed")
        func own() throws {
            #expect(
                ProgramIcon.folders(besides: "/opt/hongyan/bin/hongyan-desktop") == [
                    "/opt/hongyan/bin/icons", "/opt/hongyan/share/icons",
                ])
            let tests = URL(filePath: #filePath).deletingLastPathComponent()
            let icon = "\(DesktopProgram.id).svg"
            let folder = FileManager.default.temporaryDirectory.appending(path: "icons-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let place = folder.appending(path: "hicolor/scalable/apps")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: tests.appending(path: "../../Packaging/icons/\(icon)").standardized,
                to: place.appending(path: icon))
            ToolkitSettings.addIconFolder(folder.path)
            #expect(ProgramIcon.name == DesktopProgram.id)
        }
    }
}
