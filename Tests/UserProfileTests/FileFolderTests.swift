import ChatFixtures
import ChatStore
import Foundation
import Testing
import XMPPAddress

@testable import UserProfile

@Suite("The folder of received and prepared files")
struct FileFolderTests {
    private let place: SpareFolder
    private let folder: FileFolder

    init() throws {
        place = try SpareFolder()
        folder = try FileFolder(account: try JID("juliet@capulet.example"), in: Profile(folder: place.path))
    }

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
    }

    @Test("files that are saved at the same time under one name replace none of each other, and none is lost")
    func sameName() async throws {
        let texts = (0..<64).map { "\($0)" }
        let paths = try await withThrowingTaskGroup(of: String.self) { [folder] group in
            for text in texts {
                group.addTask { try folder.save(Array(text.utf8), name: "picture.png") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(paths).count == texts.count)
        let saved = try paths.map { try String(contentsOf: URL(filePath: $0), encoding: .utf8) }
        #expect(Set(saved) == Set(texts))
        let count = try names.count
        #expect(count == texts.count)
    }

    @Test("received files that are saved at the same time under one name are all saved")
    func sameReceivedName() async throws {
        let content = place.path + "/content"
        try Data("a file".utf8).write(to: URL(filePath: content))
        let attachment = Attachment(kind: .file, name: "../../a.txt")
        let paths = try await withThrowingTaskGroup(of: String.self) { [folder] group in
            for _ in 0..<64 { group.addTask { try folder.save(copyOf: content, attachment) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(paths).count == 64)
        let count = try names.count
        #expect(count == 64)
        #expect(paths.allSatisfy { $0.hasPrefix(folder.path + "/a") && $0.hasSuffix(".txt") })
    }

    @Test("a copy replaces the chosen file, and no other one beside it")
    func replacing() throws {
        let content = place.path + "/content"
        try Data("new".utf8).write(to: URL(filePath: content))
        for name in ["a.txt", "a.txt.part"] { try Data("old".utf8).write(to: URL(filePath: "\(folder.path)/\(name)")) }
        try FileFolder.copy(content, to: folder.path + "/a.txt")
        #expect(try String(contentsOf: URL(filePath: folder.path + "/a.txt"), encoding: .utf8) == "new")
        #expect(try String(contentsOf: URL(filePath: folder.path + "/a.txt.part"), encoding: .utf8) == "old")
        #expect(throws: FileFailure.self) { try FileFolder.copy(content, to: place.path + "/none/a.txt") }
        let left = try names
        #expect(left == ["a.txt", "a.txt.part"])
    }
}
