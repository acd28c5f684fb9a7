internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

/// The list of contacts and the requests of contacts.
struct ContactMethods: MethodGroup {
    let context: AutomationContext

    private static let contactParameter = AutomationMethod.Parameter(
        "address", .address, isRequired: true, "the address of the contact")
    private static let nameParameter = AutomationMethod.Parameter(
        "name", .text(limit: 1000), "the name of the contact in the list")

    var methods: [AutomationMethod] {
        [
            AutomationMethod(
                "contacts.list", "Lists the contacts with their presence, and the contact requests.",
                [Self.accountParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let account = try await account(arguments)
                let id = account.id
                let contacts = try await read { store throws(StoreError) in try store.contacts(of: id) }
                let presences = await account.contacts.presences
                let requests = await account.contacts.requests
                return [
                    "contacts": .array(
                        contacts.map { contact in
                            let presence = presences[contact.address]
                            return contact.json(presence?.section ?? .offline, status: presence?.status)
                        }),
                    "requests": .array(requests.map { ["address": .text($0.address), "text": .text($0.text)] }),
                ]
            },
            AutomationMethod(
                "contacts.add", "Adds a contact and asks for permission to see the presence.",
                [
                    Self.accountParameter, Self.contactParameter, Self.nameParameter,
                    .init("text", .text(limit: 10_000), "a text for the request"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                try await withContact(arguments) { account, address throws(ClientError) in
                    let result = try await account.contacts.add(
                        address, name: arguments.text("name"), message: arguments.text("text"))
                    return ["requested": .bool(result == .requested)]
                }
            },
            AutomationMethod(
                "contacts.accept", "Accepts a contact request, and sends one in return.",
                [
                    Self.accountParameter, Self.contactParameter, Self.nameParameter,
                    .init("only", .flag, "send no request in return"),
                ]
            ) { [self] arguments, _ throws(JSONRPCError) in
                try await withRequest(arguments) { account, address throws(ClientError) in
                    try await account.contacts.acceptRequest(of: address, addingBack: !arguments.flag("only"))
                    if let name = arguments.text("name") { try await account.contacts.rename(address, to: name) }
                    return [:]
                }
            },
            AutomationMethod(
                "contacts.decline", "Declines a contact request.", [Self.accountParameter, Self.contactParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                try await withRequest(arguments) { account, address throws(ClientError) in
                    try await account.contacts.declineRequest(of: address)
                    return [:]
                }
            },
            AutomationMethod(
                "contacts.remove", "Removes a contact, on both sides; messages are kept.",
                [Self.accountParameter, Self.contactParameter]
            ) { [self] arguments, _ throws(JSONRPCError) in
                let (account, address) = (try await account(arguments), try arguments.requiredAddress("address").bare)
                let id = account.id
                let isThere = try await read { store throws(StoreError) in
                    try store.contact(address, of: id) != nil
                }
                guard isThere else { throw .failure(.notFound, "This is not one of the contacts") }
                return try await withContact(arguments) { account, address throws(ClientError) in
                    try await account.contacts.remove(address)
                    return [:]
                }
            },
        ]
    }

    private func withContact(
        _ arguments: Arguments, _ body: (ChatAccount, JID) async throws(ClientError) -> JSONValue
    ) async throws(JSONRPCError) -> JSONValue {
        let account = try await account(arguments)
        let address = try arguments.requiredAddress("address").bare
        guard address != account.address else { throw .invalidParameters("This is the account itself") }
        do throws(ClientError) {
            return try await body(account, address)
        } catch {
            throw JSONRPCError(error)
        }
    }

    private func withRequest(
        _ arguments: Arguments, _ body: (ChatAccount, JID) async throws(ClientError) -> JSONValue
    ) async throws(JSONRPCError) -> JSONValue {
        let account = try await account(arguments)
        let address = try arguments.requiredAddress("address").bare
        guard await account.contacts.requests.contains(where: { $0.address == address }) else {
            throw .failure(.notFound, "There is no contact request from this address")
        }
        return try await withContact(arguments, body)
    }
}
