import CredentialStore
import Foundation
import GTKBinding
import ServerFixtures
import UserProfile
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import ChatStore

/// A user of the desktop program as it runs: the list of accounts, the store, passwords and files are in a folder.
@MainActor
final class ProgramUser {
    let folder: String
    let profile: Profile
    let accounts: ProfileAccounts
    let home: ChatHome
    let context: AppContext
    private let store: SQLiteStore

    init(in folder: String = NSTemporaryDirectory() + "user-" + UUID().uuidString) async throws {
        self.folder = folder
        profile = Profile(folder: folder + "/profile")
        store = try await profile.open(for: .writing)
        let passwords = folder + "/passwords"
        accounts = ProfileAccounts(profile: profile, directory: folder + "/config") {
            () async throws(CredentialError) in .inFile(folder: passwords)
        }
        home = ChatHome(store: store, accountStorage: accounts, preferences: await profile.preferences())
        context = AppContext(home: home)
    }

    /// A user with a new account, online.
    convenience init(_ name: String, on server: RunningServer, encrypts: Bool = true) async throws {
        try await self.init()
        let account = try await server.newAccount(name)
        let address = try JID(account.address)
        try await accounts.save(
            AccountAccess(
                address: address, host: server.host, port: server.port, certificateAuthority: server.authorityFile))
        try await accounts.save(password: account.password, of: address)
        if !encrypts { try await accounts.save(encryption: nil, of: address) }
        await home.start()
        guard await Toolkit.eventually({ [home] in home.accounts.rows.elements.first?.connection.isOnline == true })
        else { throw NotOnline() }
    }

    struct NotOnline: Error {}

    /// The first account.
    var account: ChatAccount {
        get throws {
            guard let first = home.chatAccounts.first else { throw NotOnline() }
            return first
        }
    }

    func key(_ other: ProgramUser) throws -> ConversationKey {
        ConversationKey(account: try account.id, address: try other.account.address, kind: .direct)
    }

    /// Both see each other online.
    func befriend(_ other: ProgramUser) async throws {
        let (mine, theirs) = (try account, try other.account)
        _ = try await mine.contacts.add(theirs.address)
        guard await Toolkit.eventually({ !other.home.contacts.requests.elements.isEmpty }) else { throw NotOnline() }
        try await theirs.contacts.acceptRequest(of: mine.address)
        _ = try? await theirs.contacts.add(mine.address)
        guard
            await Toolkit.eventually({ [home] in
                [home, other.home].allSatisfy { $0.contacts.rows.elements.first?.section == .online }
            })
        else { throw NotOnline() }
    }

    func messages(with other: ProgramUser) async throws -> [StoredMessage] {
        let key = try key(other)
        return try await home.store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.timeline(of: id, .newest, limit: 100)
        }
    }

    /// Ends the program; the folder stays.
    func end() async {
        await context.end()
        await store.close()
    }

    nonisolated static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }
}
