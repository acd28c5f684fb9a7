internal import ChatEngine
internal import ChatStore
internal import GroupChat
internal import JSONRPC
internal import UserProfile
internal import XMPPAddress

/// Joining and leaving rooms.
struct RoomMethods: MethodGroup {
    let context: AutomationContext

    private static let roomParameter = AutomationMethod.Parameter(
        "address", .address, isRequired: true, "the address of the room")

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "rooms.list", "Lists the rooms of the account, and whether it is in them.", [Self.accountParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments)
                let id = account.id
                let rooms = try await read { store throws(StoreError) in try store.rooms(of: id) }
                let inside = await account.rooms.inside()
                return ["rooms": .array(rooms.map { $0.json(isInside: inside.contains($0.address)) })]
            },
            AutomationMethod(
                "rooms.join", "Joins a room, now and whenever the account connects.",
                [
                    Self.accountParameter, Self.roomParameter,
                    .init(
                        "nickname", .text(limit: 1023),
                        "the nickname in the room; the name of the account if it is missing"),
                    .init("password", .text(limit: 1023), "the password of the room"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments)
                let nickname = arguments.text("nickname") ?? account.address.unescapedLocal ?? "hongyan"
                do throws(GroupChatError) {
                    try await account.rooms.enter(
                        try arguments.requiredAddressOfRoom, nickname: nickname, password: arguments.text("password"))
                } catch {
                    throw JSONRPCError(error)
                }
                return [:]
            },
            AutomationMethod(
                "rooms.leave", "Leaves a room, on all devices.", [Self.accountParameter, Self.roomParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let (account, room) = (try await account(arguments), try arguments.requiredAddress("address").bare)
                let id = account.id
                let isKnown = try await read { store throws(StoreError) in
                    try store.rooms(of: id).contains { $0.address == room }
                }
                guard isKnown else { throw .failure(.notFound, "This is not one of the rooms") }
                await account.rooms.leave(room)
                return [:]
            },
        ]
    }
}

extension Arguments {
    fileprivate var requiredAddressOfRoom: JID {
        get throws(GroupChatError) {
            guard let address = address("address"), address.local != nil else {
                throw GroupChatError(.notFound, "This is no address of a room.")
            }
            return address.bare
        }
    }
}
