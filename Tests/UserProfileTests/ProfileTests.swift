import ChatEngine
import ChatModel
import ChatStore
import CredentialStore
import Foundation
import SASLMechanisms
import Testing
import XMLStreaming
import XMPPAddress

@testable import UserProfile

@Suite struct ProfileTests {
    private let folder = NSTemporaryDirectory() + "profile-\(UUID().uuidString)"

    @Test("a profile is a folder that only its owner can read, created when it is first opened")
    func open() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = Profile(folder: folder + "/")
        #expect(profile.folder == folder)
        #expect(!profile.hasStore)
        let store = try await profile.open(for: .writing)
        #expect(profile.hasStore)
        let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o700)
        await #expect(throws: ProfileFailure.self) { try await Profile(folder: folder).open(for: .writing) }
        do throws(ProfileFailure) {
            _ = try await profile.open(for: .reading)
        } catch .store(let error, let path) {
            #expect(error.code == .inUse)
            #expect(path == profile.storePath)
        } catch {
            Issue.record("\(error)")
        }
        await store.close()
    }

    @Test("the mechanism of a login is known at the next start; signing in again resets it")
    func mechanism() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let juliet = try JID("juliet@example.org")
        let store = LoginTokens(account: juliet, directory: folder)
        await store.saveMechanism(.scramSHA256Plus)
        #expect(try AccountFile(directory: folder).accounts.isEmpty, "an account that is not kept is not made")
        var file = try AccountFile(directory: folder)
        try file.save(AccountFile.Account(address: juliet, host: "xmpp.example.org"))
        await store.saveMechanism(.scramSHA256Plus)
        let saved = try #require(try AccountFile(directory: folder).account(juliet))
        #expect(saved.lastMechanism == "SCRAM-SHA-256-PLUS" && saved.host == "xmpp.example.org")
        let accounts = ProfileAccounts(profile: Profile(folder: folder), directory: folder)
        try await accounts.save(AccountAccess(address: juliet))
        #expect(try AccountFile(directory: folder).account(juliet)?.lastMechanism == nil)
    }

    @Test("a new account encrypts when possible, a login changes nothing, and the identity key is beside the password")
    func encryption() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let juliet = try JID("juliet@example.org")
        let folder = folder
        let accounts = ProfileAccounts(profile: Profile(folder: folder), directory: folder) {
            CredentialStore.inFile(folder: folder + "/secrets")
        }
        try await accounts.save(AccountAccess(address: juliet))
        #expect(await accounts.encryption(of: juliet)?.policy == .whenPossible)
        try await accounts.save(encryption: nil, of: juliet)
        #expect(await accounts.encryption(of: juliet) == nil)
        try await accounts.save(AccountAccess(address: juliet))
        #expect(await accounts.encryption(of: juliet) == nil, "it was turned off, and stays so")
        var file = try AccountFile(directory: folder)
        var account = try #require(file.account(juliet))
        account.encryption = .always
        try file.change(account)
        // Signing in again leaves it as it is.
        try await accounts.save(AccountAccess(address: juliet, host: "xmpp.example.org"))
        let settings = try #require(await accounts.encryption(of: juliet))
        #expect(settings.policy == .always)
        // So does a login from the command line, which knows nothing of encryption.
        try file.save(AccountFile.Account(address: juliet, lastMechanism: "SCRAM-SHA-256"))
        #expect(await accounts.encryption(of: juliet)?.policy == .always)
        func seeds(_ identities: any OMEMOIdentities) async throws -> [[UInt8]] {
            let search = try await identities.search()
            #expect(search.unsearched.isEmpty && search.seeds.allSatisfy { $0.place == "file" })
            return search.seeds.map(\.bytes)
        }
        #expect(try await seeds(settings.identities) == [])
        let seed = (0..<32).map { UInt8($0) }
        #expect(try await settings.identities.save(seed) == "file")
        let again = try #require(await accounts.encryption(of: juliet))
        #expect(try await seeds(again.identities) == [seed])
        // Another profile is another device.
        let other = EncryptionKeys(account: juliet, profile: Profile(folder: folder + "/other")) {
            CredentialStore.inFile(folder: folder + "/secrets")
        }
        #expect(try await seeds(other) == [])
        _ = try await other.save(Array(seed.reversed()))
        // So is the usual one.
        let secrets = CredentialStore.inFile(folder: folder + "/secrets")
        try await secrets.save(identity: "usual", for: juliet.description)
        #expect(try await seeds(settings.identities) == [seed])
        try await accounts.remove(juliet)
        #expect(try await seeds(settings.identities) == [])
        #expect(try await seeds(other) == [Array(seed.reversed())])
        #expect(try await secrets.identity(for: juliet.description) == "usual")
    }

    @Test("a folder that cannot be created is reported with its name")
    func impossible() async throws {
        do throws(ProfileFailure) {
            _ = try await Profile(folder: "/dev/null/profile").open(for: .writing)
            Issue.record("a folder in a device")
        } catch {
            #expect(error == .folder("/dev/null/profile"))
            #expect(error.message.contains("/dev/null/profile"))
        }
    }

    @Test("the folders for the files of an account cannot be left by a crafted name")
    func folders() throws {
        let profile = Profile(folder: folder)
        let account = try JID(escapingLocal: "..", domain: "example.org")
        #expect(profile.filesFolder(of: account) == folder + "/files/_" + account.bare.description)
        #expect(profile.mediaFolder(of: try JID("juliet@example.org/balcony")).hasSuffix("/media/juliet@example.org"))
    }

    @Test("each account has caches in a folder that only its owner can read, removed with the account")
    func caches() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = Profile(folder: folder)
        let (juliet, romeo) = (try JID("juliet@example.org"), try JID("romeo@example.org"))
        let accounts = ProfileAccounts(profile: profile, directory: folder)
        let list = XMLElement(XMLName("list", "urn:x"))
        let contacts = try #require(await accounts.caches(of: juliet).contacts)
        await contacts.save(list)
        #expect(await profile.caches(of: try JID("juliet@example.org/balcony")).contacts?.load() == list)
        #expect(await profile.caches(of: romeo).contacts?.load() == nil)
        #expect(await profile.caches(of: juliet).capabilities?.load() == nil)
        for name in ["/cache", "/cache/juliet@example.org"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder + name)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o700)
        }
        profile.removeFiles(of: juliet)
        #expect(await profile.caches(of: juliet).contacts?.load() == nil)
        await Profile(folder: "/dev/null/x").caches(of: juliet).contacts?.save(list)
    }

    @Test("only the owner can read the list of accounts and the preferences, also those of an earlier release")
    @MainActor
    func permissions() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func mode(_ name: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        var file = try AccountFile(directory: folder)
        try file.save(.init(address: try JID("juliet@example.org")))
        #expect(try mode("accounts.json") == 0o600)
        let preferences = await Profile(folder: folder).preferences()
        preferences.values.tellsTyping.toggle()
        await preferences.flush()
        #expect(try mode("preferences.json") == 0o600)
        for name in ["accounts.json", "preferences.json"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/" + name)
        }
        #expect(try AccountFile(directory: folder).accounts.count == 1)
        #expect(await Profile(folder: folder).preferences().values == preferences.values)
        #expect(try mode("accounts.json") == 0o600)
        #expect(try mode("preferences.json") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    }

    @Test("the list of accounts contains how to reach a server, and which account was used last")
    func accounts() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (juliet, romeo) = (try JID("juliet@example.org/x"), try JID("romeo@example.net"))
        var file = try AccountFile(directory: folder)
        #expect(file.accounts.isEmpty)
        try file.save(.init(address: juliet, host: "127.0.0.1", port: 5222))
        try file.save(.init(address: romeo))
        let agent = try #require(try file.userAgent(of: juliet))
        var read = try AccountFile(directory: folder)
        #expect(read.current?.address == romeo)
        #expect(read.account(juliet)?.port == 5222)
        #expect(try read.userAgent(of: juliet) == agent, "an installation keeps its name")
        try read.remove(romeo)
        #expect(try AccountFile(directory: folder).current?.address == juliet.bare)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: read.path))
        #expect(throws: ProfileFailure.accountsUnreadable(read.path)) { try AccountFile(directory: folder) }
    }
}
