public import ChatEngine
public import ChatStore
internal import EndToEndEncryption
internal import Localization
public import MessageFeatures

/// Texts about messages: states, contents, typing notifications.
extension Wording {
    /// The state of a message.
    public static func state(_ state: MessageState) -> String {
        switch state {
        case .queued: localized("Waiting to be sent")
        case .sentToServer: localized("Sent: the server has it")
        case .delivered: localized("Delivered to a device")
        case .displayed: localized("Seen")
        case .failed(let reason): localized("Not sent: %@", failure(reason))
        }
    }

    /// Why a message was not sent, to follow a colon. For unknown conditions, the text from the other side.
    public static func failure(_ reason: FailureReason) -> String {
        if reason.condition.hasPrefix(FailureReason.notSealed) {
            return notSealed(.init(rawValue: String(reason.condition.dropFirst(FailureReason.notSealed.count))))
        }
        if reason.kind == .notSent, let code = AttachmentFailure.Code(rawValue: reason.condition) {
            return fragment(code)
        }
        return switch reason.condition {
        case "service-unavailable": localized("the address does not accept messages at the moment")
        case "item-not-found", "recipient-unavailable", "jid-malformed", "gone", "redirect":
            localized("there is no such address")
        case "remote-server-not-found", "remote-server-timeout": localized("the receiver's server cannot be reached")
        case "forbidden", "not-allowed", "not-authorized", "registration-required", "subscription-required", "conflict":
            localized("it is not allowed")
        case "not-acceptable", "bad-request", "feature-not-implemented", "unexpected-request", "undefined-condition":
            localized("it is not accepted there")
        case "policy-violation", "resource-constraint", "internal-server-error":
            localized("the server does not accept it now")
        case FailureReason.tooFast: localized("the room lets you write only once in a while; wait a moment")
        case FailureReason.tooLong: localized("it is too long for one message; send it as a file")
        case FailureReason.connectionEnded: localized("the server ended the connection because of it")
        case "imported": localized("it was imported and not sent from here")
        default: reason.text ?? localized("the server gave the reason “%@”", reason.condition)
        }
    }

    /// Why a file was not sent, to follow a colon.
    static func fragment(_ code: AttachmentFailure.Code) -> String {
        switch code {
        case .noUploadService: localized("the server does not accept files")
        case .noDirectTransfers:
            localized("the server does not accept it, and the contact’s program does not receive files directly")
        case .onlyInClear:
            localized("the server does not accept it, and sent directly to the contact it would not be encrypted")
        case .declined: localized("the contact did not accept it")
        case .noAnswer: localized("the contact has not answered the offer")
        case .interrupted: localized("the transfer was interrupted")
        case .tooLarge: localized("the file is too large for the server")
        case .quotaExceeded: localized("the server accepts no more files from this account for now")
        case .fileGone, .messageGone: localized("the file is no longer on this computer")
        case .uploadFailed, .wrongContent, .notStored, .notDownloaded, .offline, .cancelled:
            localized("the file could not be uploaded")
        case .notProtected: localized("it could not be encrypted")
        }
    }

    /// What happens to the file of a message that is being sent.
    public static func sending(_ step: FileSendingStep) -> String {
        switch step {
        case .uploading(let percent): localized("Uploading: %@ %", percent)
        case .awaitingContact: localized("Waits until the contact is online")
        case .offered: localized("Offered to the contact")
        case .transferring(let percent): localized("Sending to the contact: %@ %", percent)
        }
    }

    /// A file that a device of the contact offers.
    public static func offer(_ state: DirectOffers.State) -> String {
        switch state {
        case .waiting: localized("The contact sends it if you accept it.")
        case .accepted: localized("Accepted")
        case .declined: localized("Declined")
        }
    }

    /// A file that nobody has to give any more.
    public static var goneFile: String { localized("No longer available") }

    /// Why a message or its file could not be encrypted, to follow a colon.
    private static func notSealed(_ code: ProtectionError.Code) -> String {
        switch code {
        case .noDevice: localized("no device of the receiver can decrypt it")
        case .undecided: localized("there is a device of which you have not decided whether you trust it")
        case .unreachable: localized("the keys of the receiver could not be loaded")
        case .optedOut: localized("the receiver asks for messages without encryption, and you have not decided yet")
        case .distrusted: localized("you do not trust the receiver’s devices")
        case .notCarried: localized("the receiver’s program cannot decrypt reactions")
        case .privateRoomMessage: localized("private messages in rooms cannot be encrypted")
        case .anonymousRoom: localized("the room hides the addresses of its members")
        case .publicRoom: localized("anybody can enter the room")
        case .ownKeys: localized("the keys of this computer could not be read")
        case .insecureFileService: localized("the file service has no secure address")
        default: localized("it could not be encrypted")
        }
    }

    /// The text shown instead of an encrypted message that could not be opened; `nil` for any other message.
    public static func notOpened(_ protection: MessageProtection) -> String? {
        guard case .notOpened(_, let reason) = protection else { return nil }
        return switch ProtectionError.Code(rawValue: reason) {
        case .otherDevice: localized("This message was encrypted for your other devices.")
        case .forged: localized("This encrypted message is not from whom it claims to be.")
        case .requested:
            localized("This message could not be decrypted. Its sender’s device is asked to send it again.")
        case .damaged: localized("This encrypted message is damaged. Ask for it to be sent again.")
        case .noSession:
            localized(
                "This message could not be decrypted, because there is no session with its sender’s device. Ask for it to be sent again."
            )
        case .unknownPreKey:
            localized(
                "This message could not be decrypted, because it was encrypted with a key that this device does not have any more. Ask for it to be sent again."
            )
        case .keyDiscarded:
            localized(
                "This message could not be decrypted, because its key was used or discarded before. Ask for it to be sent again."
            )
        case .wrongTime:
            localized(
                "This message was encrypted at another time than it was sent. The clock of its sender’s device may be wrong."
            )
        case .notSupported:
            localized(
                "This message is encrypted. Encryption is turned off for this account, or this kind of it is not supported."
            )
        case .ownKeys:
            localized("This message could not be decrypted, because the keys of this computer could not be read.")
        default: localized("This message could not be decrypted. Ask for it to be sent again.")
        }
    }

    /// Which reactions are possible where one was not accepted.
    public static func restrictions(_ restrictions: ReactionRestrictions) -> String {
        guard restrictions.maximumPerUser != 0, let allowed = restrictions.allowed, !allowed.isEmpty else {
            return localized("Reactions are not possible here.")
        }
        return localized("Only these reactions are possible here: %@", allowed.joined(separator: " "))
    }

    /// A kind of files: its name, one word for the middle of a line, and a symbol.
    private static func terms(_ kind: Attachment.Kind) -> (name: String, word: String, symbol: String) {
        switch kind {
        case .picture: (localized("Picture"), localized("picture"), "🖼")
        case .voice: (localized("Voice message"), localized("voice"), "🎤")
        case .video: (localized("Video"), localized("video"), "🎬")
        case .file: (localized("File"), localized("file"), "📎")
        }
    }

    /// The kind of a file.
    public static func kind(_ kind: Attachment.Kind) -> String { terms(kind).name }

    /// The kind of a file in one word, for the middle of a line.
    public static func word(_ kind: Attachment.Kind) -> String { terms(kind).word }

    /// A message in one line.
    public static func preview(_ preview: MessagePreview) -> String {
        switch preview.kind {
        case .text: return preview.text
        case .action: return "\(preview.senderName) \(preview.text)"
        case .file(let kind):
            let terms = terms(kind)
            return terms.symbol + " " + (kind == .voice || preview.text.isEmpty ? terms.name : preview.text)
        case .retracted: return localized("Message deleted")
        case .notOpened: return localized("Message that could not be decrypted")
        }
    }

    /// A message in one line; with its author in a room, and if it is the user's own.
    public static func preview(_ preview: MessagePreview, in kind: ConversationKey.Kind) -> String {
        // An action begins with the name.
        if preview.kind == .action { return Self.preview(preview) }
        if preview.isOutgoing { return localized("You: %@", Self.preview(preview)) }
        return kind == .room ? localized("%@: %@", preview.senderName, Self.preview(preview)) : Self.preview(preview)
    }

    /// Who is typing.
    public static func writing(_ names: [String], in kind: ConversationKey.Kind) -> String {
        guard kind == .room, let first = names.first else { return localized("is writing…") }
        return names.count == 1
            ? localized("%@ is writing…", first)
            : localized("%@ person is writing…", plural: "%@ people are writing…", count: names.count)
    }
}
