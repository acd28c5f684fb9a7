package import ChatEngine
package import ChatStore
package import JSONRPC
package import XMPPAddress

extension JSONValue {
    /// A contact, independent of the language of the user.
    package static func contact(
        _ address: JID, name: String?, subscription: String, isPending: Bool, groups: some Collection<String>,
        _ section: ContactPresence.Section?, status: String?
    ) -> JSONValue {
        [
            "address": .text(address), "name": .text(name), "subscription": .string(subscription),
            "pending": .bool(isPending), "groups": .array(groups.sorted().map(JSONValue.string)),
            "state": .text(section?.word), "status": .text(status),
        ]
    }
}

extension StoredContact {
    /// - Parameter section: `nil` if it is of no interest.
    package func json(_ section: ContactPresence.Section? = nil, status: String? = nil) -> JSONValue {
        .contact(
            address, name: name, subscription: subscription.rawValue, isPending: isPending, groups: groups,
            section, status: status)
    }
}

extension ContactPresence.Section {
    /// The value in JSON, the same in every language.
    var word: String {
        switch self {
        case .online: "online"
        case .away: "away"
        case .offline: "offline"
        }
    }
}

extension StoredRoom {
    /// One object, independent of the language of the user.
    package func json(isInside: Bool?) -> JSONValue {
        [
            "address": .text(address), "name": .text(name), "nickname": .text(nickname), "subject": .text(subject),
            "joinsAutomatically": .bool(joinsAutomatically), "inside": isInside.map { .bool($0) } ?? .null,
        ]
    }
}
