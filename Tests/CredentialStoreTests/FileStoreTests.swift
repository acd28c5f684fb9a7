import CredentialStore
import Foundation
import Testing

@Suite("Passwords in a file")
struct FileStoreTests {
    private let folder: TemporaryFolder
    private let store: CredentialStore

    init() throws {
        folder = try TemporaryFolder()
        store = CredentialStore.inFile(folder: folder.path + "/data/hongyan")
    }

    private var file: String { folder.path + "/data/hongyan/passwords" }

    @Test("what is saved is found, replaced and removed")
    func life() async throws {
        #expect(try await store.password(for: "juliet@example.org") == nil)
        try await store.save(password: "R0m30 ", for: "juliet@example.org")
        try await store.save(password: "other", for: "nurse@example.org")
        #expect(try await store.password(for: "juliet@example.org") == "R0m30 ")
        try await store.save(password: "Tybalt", for: "juliet@example.org")
        #expect(try await store.password(for: "juliet@example.org") == "Tybalt")
        try await store.remove(for: "juliet@example.org")
        #expect(try await store.password(for: "juliet@example.org") == nil)
        #expect(try await store.password(for: "nurse@example.org") == "other")
        try await store.remove(for: "juliet@example.org")
    }

    @Test("a token is stored separately from the password, and removed with it")
    func token() async throws {
        let account = "juliet@example.org"
        #expect(try await store.token(for: account) == nil)
        try await store.save(token: "t1 {\"a\":1}", for: account)
        #expect(try await store.password(for: account) == nil)
        try await store.save(password: "R0m30", for: account)
        try await store.save(token: "t2", for: account)
        #expect(try await store.token(for: account) == "t2")
        try await store.removeToken(for: account)
        #expect(try await store.token(for: account) == nil)
        #expect(try await store.password(for: account) == "R0m30")
        try await store.save(token: "t3", for: account)
        try await store.save(token: "other", for: "nurse@example.org")
        try await store.remove(for: account)
        #expect(try await store.token(for: account) == nil)
        #expect(try await store.token(for: "nurse@example.org") == "other")
        #expect(try folder.mode(of: "data/hongyan/tokens") == 0o600)
    }

    @Test("the identity key for the encryption is stored separately, for its owner alone, and removed with the account")
    func identity() async throws {
        let account = "juliet@example.org"
        #expect(try await store.identity(for: account) == nil)
        try await store.save(identity: "c2VlZA==", for: account)
        try await store.save(password: "R0m30", for: account)
        try await store.removeToken(for: account)
        #expect(try await store.identity(for: account) == "c2VlZA==")
        #expect(try folder.mode(of: "data/hongyan/identity-keys") == 0o600)
        try await store.removeLogin(for: account)
        #expect(try await store.password(for: account) == nil)
        #expect(try await store.identity(for: account) == "c2VlZA==")
        try await store.remove(for: account)
        #expect(try await store.identity(for: account) == nil)
    }

    @Test("a second program finds what the first has saved")
    func secondProgram() async throws {
        try await store.save(password: "x", for: "a@b")
        #expect(try await CredentialStore.inFile(folder: folder.path + "/data/hongyan").password(for: "a@b") == "x")
    }

    @Test(
        "every text is stored unchanged",
        arguments: [
            "", " ", "%", "a b\nc\t", "pässwörd", "日本\u{1F426}", "%20", "a%", String(repeating: "x", count: 5000),
        ])
    func texts(text: String) async throws {
        try await store.save(password: text, for: "a\(text)@b")
        #expect(try await store.password(for: "a\(text)@b") == text)
    }

    @Test("only the owner can read the file and its folder")
    func modes() async throws {
        try await store.save(password: "x", for: "a@b")
        #expect(try folder.mode(of: "data/hongyan/passwords") == 0o600)
        #expect(try folder.mode(of: "data/hongyan") == 0o700)
        #expect(try folder.mode(of: "data") == 0o700)
    }

    @Test("access to a folder that others could read is restricted")
    func wideFolder() async throws {
        try await store.save(password: "x", for: "a@b")
        try folder.setMode(0o755, of: "data/hongyan")
        #expect(try await store.password(for: "a@b") == "x")
        #expect(try folder.mode(of: "data/hongyan") == 0o700)
    }

    @Test("searching for a password creates no file and no folder")
    func noTraces() async throws {
        #expect(try await store.password(for: "a@b") == nil)
        try await store.remove(for: "a@b")
        #expect(try folder.names() == [])
    }

    @Test(
        "a file that others can read is rejected with a message that contains a solution",
        arguments: [0o644, 0o640, 0o660, 0o604, 0o620])
    func openToOthers(mode: Int) async throws {
        try await store.save(password: "x", for: "a@b")
        try folder.setMode(mode, of: "data/hongyan/passwords")
        let error = await #expect(throws: CredentialError.self) { try await store.password(for: "a@b") }
        #expect(error?.code == .openToOthers(path: file))
        #expect(error?.description.contains("chmod 600 \(file)") == true)
        await #expect(throws: CredentialError(.openToOthers(path: file))) {
            try await store.save(password: "y", for: "a@b")
        }
        await #expect(throws: CredentialError(.openToOthers(path: file))) { try await store.remove(for: "a@b") }
        #expect(try folder.mode(of: "data/hongyan/passwords") == mode)
    }

    @Test("a symbolic link instead of the file is not followed, for reading nor for writing")
    func link() async throws {
        try await store.save(password: "x", for: "a@b")
        try FileManager.default.moveItem(atPath: file, toPath: folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder.path + "/elsewhere")
        await #expect(throws: CredentialError(.notAFile(path: file))) { try await store.password(for: "a@b") }
        await #expect(throws: CredentialError(.notAFile(path: file))) {
            try await store.save(password: "y", for: "a@b")
        }
        #expect(try folder.text(of: "elsewhere").contains("a@b x"))
    }

    @Test(
        "a symbolic link instead of the new file or of the lock is not followed either",
        arguments: ["passwords.new", "passwords.lock"])
    func otherLinks(name: String) async throws {
        try await store.save(password: "x", for: "a@b")
        try folder.write("victim", to: "victim")
        let link = folder.path + "/data/hongyan/" + name
        try? FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/victim")
        try? await store.save(password: "y", for: "a@b")
        #expect(try folder.text(of: "victim") == "victim")
    }

    @Test("a symbolic link instead of the folder is not followed")
    func linkedFolder() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
        let store = CredentialStore.inFile(folder: folder.path + "/link")
        await #expect(throws: CredentialError.self) { try await store.save(password: "x", for: "a@b") }
        await #expect(throws: CredentialError.self) { try await store.password(for: "a@b") }
    }

    @Test("a folder instead of the file is rejected")
    func folderInPlace() async throws {
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        await #expect(throws: CredentialError(.notAFile(path: file))) { try await store.password(for: "a@b") }
    }

    @Test(
        "a file in another format is rejected and not changed",
        arguments: [
            "x", "\n", "hongyan-passwords 2\n", "hongyan-passwords 1", "hongyan-passwords 1\na",
            "hongyan-passwords 1\na\n",
            "hongyan-passwords 1\na b c\n", "hongyan-passwords 1\na %\n", "hongyan-passwords 1\na %2\n",
            "hongyan-passwords 1\na %zz\n", "hongyan-passwords 1\na %FF\n", "hongyan-passwords 1\na b\na c\n",
            "hongyan-passwords 1\na é\n", "hongyan-passwords 1\r\na b\r\n",
        ])
    func malformed(text: String) async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data/hongyan", withIntermediateDirectories: true)
        try folder.write(text, to: "data/hongyan/passwords")
        await #expect(throws: CredentialError(.unreadable(path: file))) { try await store.password(for: "a") }
        await #expect(throws: CredentialError(.unreadable(path: file))) {
            try await store.save(password: "y", for: "a")
        }
        #expect(try folder.text(of: "data/hongyan/passwords") == text)
    }

    @Test("a file above the size limit is rejected")
    func tooLong() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data/hongyan", withIntermediateDirectories: true)
        let line = "a " + String(repeating: "x", count: 1 << 20)
        try folder.write("hongyan-passwords 1\n\(line)\n", to: "data/hongyan/passwords")
        await #expect(throws: CredentialError(.unreadable(path: file))) { try await store.password(for: "a") }
    }

    @Test("an empty file, and an incomplete one beside it, cause no error")
    func leftovers() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data/hongyan", withIntermediateDirectories: true)
        try folder.write("", to: "data/hongyan/passwords")
        try folder.write("hongyan-passw", to: "data/hongyan/passwords.new")
        try await store.save(password: "x", for: "a@b")
        #expect(try await store.password(for: "a@b") == "x")
        #expect(!FileManager.default.fileExists(atPath: file + ".new"))
    }

    @Test("concurrent changes are not lost")
    func concurrent() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await store.save(password: "p\(number)", for: "a\(number)@b") }
            }
            try await group.waitForAll()
        }
        for number in 0..<20 { #expect(try await store.password(for: "a\(number)@b") == "p\(number)") }
    }

    @Test("text that cannot be stored is rejected")
    func invalidText() async throws {
        await #expect(throws: CredentialError(.invalidText)) { try await store.save(password: "a\0", for: "a@b") }
        await #expect(throws: CredentialError(.invalidText)) { try await store.save(password: "a", for: "") }
        await #expect(throws: CredentialError(.invalidText)) { try await store.password(for: "a\0") }
        await #expect(throws: CredentialError(.invalidText)) { try await store.remove(for: "") }
    }

    @Test("a folder that cannot be created is an error with its path")
    func noFolder() async throws {
        try folder.write("", to: "file")
        let store = CredentialStore.inFile(folder: folder.path + "/file/hongyan")
        let error = await #expect(throws: CredentialError.self) { try await store.save(password: "x", for: "a@b") }
        #expect(error?.description.contains(folder.path) == true)
    }

    @Test("the description of the store names the place of the password")
    func words() {
        #expect(store.kind == .file(path: file))
        #expect(store.description == "The password is stored in \(file), which only you can read.")
    }

    @Test("a cancelled task gets an error and not a password")
    func cancelled() async throws {
        let store = store
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.password(for: "a@b")
        }
        let result = await task.result
        #expect(throws: CredentialError(.cancelled)) { try result.get() }
    }
}
