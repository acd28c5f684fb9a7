import ChatFixtures
import ChatStore
import ChatStoreTesting
import GTKBinding
import GroupChat
import ServerFixtures
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

/// A user of the desktop program on a real server.
@MainActor
final class RoomVisitor {
    let home: ChatHome
    let context: AppContext
    let id: AccountID
    let address: JID
    let account: ChatAccount
    let accountStorage = MemoryAccountStorage()

    /// The program's style, for screenshots.
    static let useStyle: Void = Style.use()

    /// - Parameter observer: sees the account's traffic.
    init(
        _ name: String, on server: RunningServer, watching observer: (any SessionExtension)? = nil
    ) async throws {
        let credentials = try await server.newAccount(name)
        address = try JID(credentials.address)
        let store = MemoryStore()
        await accountStorage.save(AccountAccess(address: address))
        await accountStorage.save(password: credentials.password, of: address)
        let address = address
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        self.id = id
        home = ChatHome(store: store, accountStorage: accountStorage)
        home.prepare = { configuration in
            configuration.use(server)
            if let observer { configuration.add { _ in observer } }
        }
        context = AppContext(home: home)
        await home.start()
        guard let account = home.account(id) else { throw CancellationError() }
        self.account = account
        guard await Toolkit.eventually({ [home] in home.accounts.rows[id]?.connection.isOnline == true }) else {
            throw CancellationError()
        }
    }

    func key(_ room: JID) -> ConversationKey { ConversationKey(account: id, address: room, kind: .room) }

    /// A name that no other test uses.
    func name(_ text: String) -> String { "\(text) \(address.local ?? "")" }

    func isInside(_ room: JID) -> Bool {
        home.rooms.rows[.init(account: id, address: room)]?.isInside ?? false
    }

    /// Creates a room.
    func makeRoom(_ access: RoomSettings.Access = .everybody) async throws -> JID {
        guard let service = await account.rooms.service() else { throw CancellationError() }
        let room = try JID("garden-\(address.local ?? "")@\(service)")
        try await account.rooms.create(
            room, nickname: sampleWords("Jule"), settings: RoomSettings(name: sampleWords("Garden"), access: access))
        return room
    }

    /// The model of a room, followed until the task is cancelled.
    func follow(_ room: JID) -> (RoomModel, Task<Void, Never>) {
        let model = RoomModel(key(room), store: home.store, environment: home.environment)
        let account = account
        return (model, Task { await model.follow(account) })
    }

    /// Sets a password.
    func protect(_ room: JID, _ password: String) async throws {
        let joined = account.session?[GroupChat.self]?.room(room)
        try await joined?.configure([
            "muc#roomconfig_passwordprotectedroom": ["1"], "muc#roomconfig_roomsecret": [password],
        ])
    }
}
