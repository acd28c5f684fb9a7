import CredentialStore
import Foundation
import Testing

/// Each test runs in a separate process, because the session bus is set in the process environment.
@Suite("Passwords in the secret service", .timeLimit(.minutes(5)))
struct SecretServiceTests {
    @Test("S2-10: a real secret service stores, finds, replaces and removes passwords")
    func life() async throws {
        await #expect(processExitsWith: .success) {
            let session = try PrivateSession(withKeyring: true)
            let store = try await CredentialStore.open(probeTimeout: .seconds(60))
            #expect(store.kind == .secretService)
            #expect(store.description == "The password is stored by the secret service of the desktop.")
            // What was stored while it did not run.
            #expect(!store.isFallback && store.others.map(\.kind) == [.file(path: session.data + "/hongyan/passwords")])
            #expect(try await store.password(for: "juliet@example.org") == nil)
            try await store.save(password: "R0m30 ü", for: "juliet@example.org")
            try await store.save(password: "other", for: "nurse@example.org")
            #expect(try await store.password(for: "juliet@example.org") == "R0m30 ü")
            try await store.save(password: "Tybalt", for: "juliet@example.org")
            #expect(try await store.password(for: "juliet@example.org") == "Tybalt")
            #expect(try await store.token(for: "juliet@example.org") == nil)
            try await store.save(token: "t1", for: "juliet@example.org")
            try await store.save(token: "t2", for: "juliet@example.org")
            #expect(try await store.token(for: "juliet@example.org") == "t2")
            #expect(try await store.password(for: "juliet@example.org") == "Tybalt")
            try await store.removeToken(for: "juliet@example.org")
            #expect(try await store.token(for: "juliet@example.org") == nil)
            #expect(try await store.password(for: "juliet@example.org") == "Tybalt")
            try await store.save(token: "t3", for: "juliet@example.org")
            try await store.remove(for: "juliet@example.org")
            #expect(try await store.password(for: "juliet@example.org") == nil)
            #expect(try await store.token(for: "juliet@example.org") == nil)
            try await store.remove(for: "juliet@example.org")
            #expect(try await store.password(for: "nurse@example.org") == "other")
            session.end()
        }
    }

    @Test("without a secret service on the bus the file is used")
    func busWithoutService() async throws {
        await #expect(processExitsWith: .success) {
            let session = try PrivateSession(withKeyring: false)
            let store = try await CredentialStore.open(probeTimeout: .seconds(60))
            #expect(store.kind == .file(path: session.data + "/hongyan/passwords"))
            #expect(store.isFallback && store.others.isEmpty)
            #expect(
                store.description
                    == "No secret service is running; the password is stored in \(session.data)/hongyan/passwords, which only "
                    + "you can read.")
            try await store.save(password: "x", for: "a@b")
            #expect(try await store.password(for: "a@b") == "x")
            session.end()
        }
    }

    @Test("without a bus the file is used without asking")
    func noBus() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            setenv("XDG_RUNTIME_DIR", folder.path, 1)
            setenv("XDG_DATA_HOME", "relative", 1)
            setenv("HOME", folder.path, 1)
            let store = try await CredentialStore.open()
            #expect(store.kind == .file(path: folder.path + "/.local/share/hongyan/passwords"))
            setenv("HOME", "", 1)
            await #expect(throws: CredentialError(.noDataFolder)) { try await CredentialStore.open() }
        }
    }

    @Test("a bus that never answers does not block the program")
    func hangingBus() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let listener = try SilentListener(path: folder.path + "/bus")
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(folder.path)/bus", 1)
            setenv("XDG_DATA_HOME", folder.path, 1)
            let store = try await CredentialStore.open(probeTimeout: .milliseconds(200))
            #expect(store.kind == .file(path: folder.path + "/hongyan/passwords"))
            listener.close()
        }
    }

    @Test("a secret service that stops answering ends the call after the timeout")
    func hangingService() async throws {
        await #expect(processExitsWith: .success) {
            let session = try PrivateSession(withKeyring: true)
            let store = try await CredentialStore.open(timeout: .milliseconds(300), probeTimeout: .seconds(60))
            #expect(store.kind == .secretService)
            session.freezeBus()
            await #expect(throws: CredentialError(.timedOut)) { try await store.password(for: "a@b") }
            await #expect(throws: CredentialError(.timedOut)) { try await store.save(password: "x", for: "a@b") }
            session.end()
        }
    }
}
