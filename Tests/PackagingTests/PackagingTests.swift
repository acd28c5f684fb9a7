import Foundation
import ServerFixtures
import Testing

/// The desktop integration of the programs, and the installation script.
@Suite("Packaging")
struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let id = "im.hongyan.Hongyan"

    private static func path(_ name: String) -> String { root.appending(path: name).path }

    /// A folder that is removed with this object.
    private final class Folder: Sendable {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "packaging-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// All files below a folder, without folders.
        func files(_ name: String) -> Set<String> {
            let folder = "\(path)/\(name)"
            let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return Set(
                all.filter { file in
                    var isFolder: ObjCBool = false
                    return FileManager.default.fileExists(atPath: "\(folder)/\(file)", isDirectory: &isFolder)
                        && !isFolder.boolValue
                })
        }
    }

    @Test("the menu entry is valid, opens xmpp: links, and has the identifier of the program")
    func desktopFile() async throws {
        let file = Self.path("Packaging/\(Self.id).desktop")
        let (status, output) = try await OutsideProgram.run(["desktop-file-validate", file])
        #expect(status == 0 && output.isEmpty, "\(output)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        for line in [
            "Exec=hongyan-desktop %u", "MimeType=x-scheme-handler/xmpp;", "Icon=\(Self.id)", "Name[zh_CN]=鸿雁",
            "Name[zh_TW]=鴻雁",
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        let program = try String(
            contentsOfFile: Self.path("Sources/ChatApp/Application/DesktopProgram.swift"), encoding: .utf8)
        #expect(program.contains("static let id = \"\(Self.id)\""))
    }

    @Test("the metadata for software centres is valid, and contains the current release")
    func metainfo() async throws {
        let file = Self.path("Packaging/\(Self.id).metainfo.xml")
        let (status, output) = try await OutsideProgram.run(["appstreamcli", "validate", "--no-net", file])
        #expect(status == 0, "\(output)")
        let source = try String(contentsOfFile: Self.path("Sources/UserProfile/Release.swift"), encoding: .utf8)
        let version = try #require(source.firstMatch(of: /version = "([^"]+)"/)).output.1
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("<release version=\"\(version)\""))
    }

    @Test(
        "the icons can be drawn, and are not empty",
        arguments: ["im.hongyan.Hongyan", "im.hongyan.Hongyan-symbolic"])
    func icon(name: String) async throws {
        let folder = try Folder()
        let picture = "\(folder.path)/icon.png"
        let (status, output) = try await OutsideProgram.run([
            "gdk-pixbuf-thumbnailer", "-s", "64", Self.path("Packaging/icons/\(name).svg"), picture,
        ])
        #expect(status == 0, "\(output)")
        // The painted part of the square.
        let (_, share) = try await OutsideProgram.run([
            "convert", picture, "-alpha", "extract", "-format", "%w %h %[fx:mean]", "info:",
        ])
        let numbers = share.split(separator: " ").compactMap { Double($0) }
        try #require(numbers.count == 3, "\(share)")
        #expect(numbers[0] == 64 && numbers[1] == 64)
        #expect(numbers[2] > 0.1 && numbers[2] < 0.95)
    }

    @Test("everything is installed at its path, with translations, and uninstalled completely")
    func install() async throws {
        let folder = try Folder()
        let programs = "\(folder.path)/built"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for name in ["hongyan", "hongyan-desktop"] {
            try "#!/bin/sh\necho \(name)\n".write(toFile: "\(programs)/\(name)", atomically: true, encoding: .utf8)
            chmod("\(programs)/\(name)", 0o755)
        }
        let script = Self.path("Scripts/install")
        let prefix = "\(folder.path)/prefix"
        let (status, output) = try await OutsideProgram.run([
            script, "--prefix", prefix, "--programs", programs,
        ])
        #expect(status == 0, "\(output)")
        let expected: Set = [
            "bin/hongyan", "bin/hongyan-desktop", "lib/systemd/system/hongyan@.service",
            "share/locale/zh_CN/LC_MESSAGES/hongyan.mo", "share/locale/zh_TW/LC_MESSAGES/hongyan.mo",
            "share/applications/\(Self.id).desktop", "share/metainfo/\(Self.id).metainfo.xml",
            "share/icons/hicolor/scalable/apps/\(Self.id).svg",
            "share/icons/hicolor/symbolic/apps/\(Self.id)-symbolic.svg",
        ]
        let installed = folder.files("prefix").subtracting(["share/applications/mimeinfo.cache"])
        #expect(installed == expected)
        let (_, answer) = try await OutsideProgram.run(["\(prefix)/bin/hongyan-desktop"])
        #expect(answer == "hongyan-desktop\n")

        let (removal, words) = try await OutsideProgram.run([script, "--uninstall", "--prefix", prefix])
        #expect(removal == 0, "\(words)")
        #expect(folder.files("prefix").isDisjoint(with: expected))
    }

    @Test("the template of the service is valid, and starts the program where it is installed")
    func service() async throws {
        let folder = try Folder()
        // The manager checks that the program exists.
        let program = "\(folder.path)/hongyan"
        try "#!/bin/sh\n".write(toFile: program, atomically: true, encoding: .utf8)
        chmod(program, 0o755)
        let unit = "\(folder.path)/hongyan@bot.service"
        let text = try String(contentsOfFile: Self.path("Packaging/hongyan@.service"), encoding: .utf8)
        try text.replacing("/usr/bin/hongyan", with: program).write(toFile: unit, atomically: true, encoding: .utf8)
        let (_, output) = try await OutsideProgram.run(["systemd-analyze", "verify", "--man=no", unit])
        #expect(!output.contains("hongyan@bot.service:"), "\(output)")
        #expect(text.contains("ExecStart=/usr/bin/hongyan serve --socket") && text.contains("Type=notify"))
    }

    @Test("nothing is installed if the programs are missing or the prefix is not a path")
    func refusals() async throws {
        let folder = try Folder()
        let script = Self.path("Scripts/install")
        let (missing, words) = try await OutsideProgram.run([
            script, "--prefix", "\(folder.path)/prefix", "--programs", "\(folder.path)/none",
        ])
        #expect(missing == 1 && words.contains("there is no program"))
        let (relative, _) = try await OutsideProgram.run([script, "--prefix", "here", "--programs", folder.path])
        #expect(relative == 1)
        #expect(folder.files("prefix").isEmpty)
    }
}
