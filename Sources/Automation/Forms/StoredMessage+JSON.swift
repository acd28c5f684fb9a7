package import ChatEngine
package import ChatStore
package import JSONRPC
internal import MessageFeatures

extension StoredMessage {
    /// One object, independent of the language of the user.
    ///
    /// - Parameters:
    ///   - key: the conversation of the message.
    ///   - path: where the content of a file is on this computer.
    ///   - protection: in place of that of the message.
    package func json(
        in key: ConversationKey, files path: (Attachment) -> String? = { _ in nil }, protection: JSONValue? = nil
    ) -> JSONValue {
        let members: [(String, JSONValue)] = [
            ("event", "message"), ("id", .integer(Int(id.rawValue))), ("with", .text(key.address)),
            ("kind", .string(key.kind.word)), ("from", .text(sender)), ("mine", .bool(isOutgoing)),
            ("time", .text(time.timestamp)), ("body", isRetracted ? .null : .string(text.body.withoutFileKeys)),
            ("state", isOutgoing ? .string(state.word) : .null),
            ("reason", .text(state.reason)),
        ]
        let deeds: [(String, JSONValue)] = [
            ("edited", .text(editTime?.timestamp)), ("retracted", isRetracted ? true : .null),
            (
                "reactions",
                reactions.isEmpty
                    ? .null : .array(reactions.map { ["emoji": .string($0.emoji), "from": .text($0.sender)] })
            ),
            ("files", text.attachments.isEmpty ? .null : .array(text.attachments.map { $0.json(at: path($0)) })),
            ("originId", .text(originID)), ("archiveId", .text(archiveReference?.id)),
            ("protection", protection ?? self.protection.json),
            ("unreadable", unreadable.json),
        ]
        return JSONValue(members + deeds)
    }
}

extension [ProtectionError.Recipient] {
    /// The devices that cannot decrypt a message, for programs; `null` without any.
    package var json: JSONValue {
        isEmpty
            ? .null
            : .array(
                map { ["address": .text($0.address), "device": .text($0.device), "reason": .string($0.code.rawValue)] })
    }
}

extension MessageProtection {
    /// What is known of the end-to-end encryption, for programs; `null` without any.
    package var json: JSONValue {
        switch self {
        case .none: .null
        case .clear: ["state": "clear"]
        case .encrypted(let scheme, let device, let trust):
            [
                "state": "encrypted", "scheme": .string(scheme), "device": .text(device),
                "trust": .string(trust.rawValue),
            ]
        case .notOpened(let scheme, let reason):
            ["state": "not-opened", "scheme": .text(scheme), "reason": .string(reason)]
        }
    }
}

extension WaitingProtection {
    /// As of a message that was sent; `nil` if nothing is known of an encryption.
    package var json: JSONValue? { self == .none ? nil : ["state": .string(rawValue)] }
}

extension ConversationKey.Kind {
    /// The value in JSON.
    package var word: String {
        switch self {
        case .direct: "chat"
        case .room: "room"
        case .occupant: "private"
        }
    }
}

extension MessageState {
    /// The value in JSON.
    package var word: String {
        switch self {
        case .queued: "queued"
        case .sentToServer: "sent"
        case .delivered: "delivered"
        case .displayed: "displayed"
        case .failed: "failed"
        }
    }

    /// Why it failed, in the text that was given for it.
    package var reason: String? {
        guard case .failed(let reason) = self else { return nil }
        return reason.text ?? reason.condition
    }
}

extension Attachment {
    fileprivate func json(at path: String?) -> JSONValue {
        [
            "kind": .string(kind.word), "name": .text(name), "type": .text(mediaType), "bytes": .count(size),
            "width": .count(width), "height": .count(height), "milliseconds": .count(duration),
            "url": .text(url?.withoutFileKeys),
            "sha256": .text(contentHash), "path": .text(path),
        ]
    }
}
