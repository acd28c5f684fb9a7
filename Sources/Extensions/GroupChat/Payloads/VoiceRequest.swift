internal import DataForms
internal import XMLStreaming
public import XMPPAddress
internal import XMPPStanzas

/// An occupant without voice asks the moderators of a room for it (XEP-0045 Multi-User Chat §7.13, §8.6).
public struct VoiceRequest: Sendable, Hashable {
    /// The room that forwards the request.
    public let room: JID
    /// The nickname of the occupant.
    public let nickname: String
    /// The address of the occupant, which the room reveals to moderators.
    public let address: JID?

    /// Reads what a room forwards to moderators.
    ///
    /// - Returns: `nil` for any other message, and for a request that does not come from the room itself.
    init?(_ message: Message) {
        guard !message.isError, message.type != .groupchat, let room = message.from, room.isBare,
            let form = (try? message.payload(DataForm.self)) ?? nil, form.kind == .form, form.formType == Self.type,
            form["muc#role"]?.values.first == RoomRole.participant.rawValue,
            let nickname = form["muc#roomnick"]?.values.first,
            let occupant = try? JID(local: room.local, domain: room.domain, resource: nickname),
            let shown = occupant.resource
        else { return nil }
        self.room = room
        self.nickname = shown
        address = form["muc#jid"]?.values.first.flatMap { try? JID($0) }
    }

    /// The answer of a moderator to the room.
    func answer(isGranted: Bool) -> Message {
        var fields = [
            DataFormField(name: "FORM_TYPE", kind: .hidden, values: [Self.type]),
            DataFormField(name: "muc#role", kind: .listSingle, values: [RoomRole.participant.rawValue]),
            DataFormField(name: "muc#roomnick", values: [nickname]),
            DataFormField(name: "muc#request_allow", kind: .boolean, values: [isGranted ? "true" : "false"]),
        ]
        if let address {
            fields.append(DataFormField(name: "muc#jid", kind: .jidSingle, values: [address.description]))
        }
        return Self.message(to: room, fields)
    }

    /// The request of an occupant.
    static func request(to room: JID) -> Message {
        message(
            to: room,
            [
                DataFormField(name: "FORM_TYPE", kind: .hidden, values: [type]),
                DataFormField(name: "muc#role", kind: .listSingle, values: [RoomRole.participant.rawValue]),
            ])
    }

    private static func message(to room: JID, _ fields: [DataFormField]) -> Message {
        var message = Message(to: room)
        message.payloads.append(DataForm(kind: .submit, fields: fields))
        return message
    }

    private static let type = "http://jabber.org/protocol/muc#request"
}
