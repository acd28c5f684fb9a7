public import ChatModel
public import ChatStore
public import JSONRPC
internal import Localization
public import XMPPAddress
public import XMPPClient

/// One message to send for a script: the request of `hongyan send` to the account, in its own process or in the program
/// that uses the profile (the parameters of the method `send`).
public struct SendOrder: Codable, Sendable, Equatable {
    /// The state that the message must reach to complete the order.
    public enum Goal: String, Codable, Sendable {
        /// It is stored in the queue.
        case queued
        /// The server has it.
        case acknowledged
        /// A device of the receiver has it.
        case delivered
    }

    /// A file of this computer, prepared for sending.
    public struct File: Codable, Sendable, Equatable {
        /// The absolute path.
        public var path: String
        public var mediaType: String
        public var name: String
        public var width: Int?
        public var height: Int?
        public var milliseconds: Int?
        /// Whether it is sent inside the message and not uploaded.
        public var isInline: Bool

        public init(
            path: String, mediaType: String, name: String, width: Int? = nil, height: Int? = nil,
            milliseconds: Int? = nil, isInline: Bool = false
        ) {
            self.path = path
            self.mediaType = mediaType
            self.name = name
            self.width = width
            self.height = height
            self.milliseconds = milliseconds
            self.isInline = isInline
        }
    }

    /// The relation to another message of the conversation, by its number in the store.
    public enum Act: Codable, Sendable, Equatable {
        case reply(to: Int64)
        /// The text replaces that of an own message.
        case correct(Int64)
        /// An own message is retracted; there is no text.
        case retract(Int64)
        /// All own reactions to a message from now on; there is no text.
        case react(to: Int64, [String])
    }

    /// The account that sends it, by its bare address.
    public var account: JID
    /// A contact, a room that the account knows, or an occupant of one.
    public var to: JID
    /// The origin-id of the message (XEP-0359). The same order passed twice is one message.
    public var id: String
    public var text: String
    public var file: File?
    public var act: Act?
    public var goal: Goal
    /// Whether it waits in the queue without a connection; otherwise the order fails and nothing is saved.
    public var waitsOffline: Bool
    /// The timeout for the server and then for a device of the receiver, in seconds.
    public var timeout: Int
    /// Whether the order fails rather than being sent in clear; `nil` follows the policy of the conversation.
    public var isEncrypted: Bool?

    /// The default ``timeout``.
    public static let timeout = 60

    public init(
        from account: JID, to receiver: JID, id: String, text: String = "", file: File? = nil, act: Act? = nil,
        goal: Goal = .acknowledged, waitsOffline: Bool = false, timeout: Int = Self.timeout, isEncrypted: Bool? = nil
    ) {
        self.isEncrypted = isEncrypted
        self.account = account.bare
        to = receiver
        self.id = id
        self.text = text
        self.file = file
        self.act = act
        self.goal = goal
        self.waitsOffline = waitsOffline
        self.timeout = timeout
    }
}

/// The progress of an order, which the method `send` reports before its result.
public struct SendStep: Codable, Sendable, Equatable {
    public enum Stage: String, Codable, Sendable {
        case queued, uploading, acknowledged, delivered
    }

    public var stage: Stage
    /// The progress of an upload, 0 to 100.
    public var percent: Int?

    init(_ stage: Stage, percent: Int? = nil) {
        self.stage = stage
        self.percent = percent
    }
}

/// The result of an order.
public struct SendAnswer: Codable, Sendable, Equatable {
    /// The origin-id of the message.
    public var id: String
    /// Its number in the store.
    public var message: Int64
    public var stage: SendOrder.Goal
    /// Why it waits, if it does, in the language of the program that uses the profile.
    public var reason: String?
    /// How it was protected; `nil` while it waits.
    public var protection: MessageProtection?
    /// The devices that cannot decrypt it, although others can.
    public var unreadable: [ProtectionError.Recipient]?
}

/// Why a message was not sent, or is not confirmed.
public struct SendFailure: Error, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// There is no connection to the server; nothing was saved.
        case offline
        /// The connection was lost before the server confirmed the message, which stays in the queue.
        case unconfirmed
        /// The server did not confirm the message in time; nothing was saved.
        case late
        /// The server or the receiver rejected it, or it could not be sent at all: ``reason``.
        case failed
        /// The server has it; no device of the receiver confirmed it in time.
        case undelivered
        /// There is no such file, or it cannot be stored.
        case file
        /// There is no such message in the conversation, or it cannot be changed or referred to.
        case target
        /// The store could not be written.
        case store
        /// The program that uses the profile is not signed in to the account.
        case account
        /// It must be encrypted, and the account or the conversation has no encryption: ``SendFailure/reason`` if others
        /// are the cause.
        case notEncrypted
        /// The program is ending.
        case interrupted
    }

    public var code: Code
    /// Why there is no connection; unknown if another program reports the failure in ``text``.
    public var cause: ClientError?
    public var reason: FailureReason?
    /// The message in the language of the program that uses the profile.
    public var text: String?

    package init(_ code: Code, cause: ClientError? = nil, reason: FailureReason? = nil, text: String? = nil) {
        self.code = code
        self.cause = cause
        self.reason = reason
        self.text = text
    }

    /// The failure of an order that another program tried to execute.
    public init?(_ fault: JSONRPCError) {
        guard let data = fault.data, let code = data["failure"]?.string.flatMap(Code.init) else { return nil }
        self.init(code, text: data["text"]?.string)
        if let condition = data["condition"]?.string {
            reason = FailureReason(
                data["refused"] == nil ? .notSent : .refused, condition: condition, text: data["said"]?.string)
        }
    }

    /// The failure as it is sent to the other program.
    package var fault: JSONRPCError {
        JSONRPCError(
            JSONRPCError.refusedCode, code.rawValue,
            data: [
                "failure": .string(code.rawValue), "text": .text(text), "condition": .text(reason?.condition),
                "said": .text(reason?.text), "refused": reason?.kind == .refused ? "yes" : .null,
            ])
    }
}

extension Wording {
    /// Why a message of a script was not sent, or is not known to have arrived.
    public static func failure(_ failure: SendFailure) -> String {
        switch failure.code {
        case .offline: failure.cause.map { Self.failure($0, domain: nil) } ?? failure.text ?? localized("Offline.")
        case .unconfirmed:
            localized(
                "The connection was lost before the server confirmed the message. It is sent again with the next connection."
            )
        case .late: localized("The server did not confirm the message in time; it was not saved.")
        case .failed:
            failure.reason.map { localized("The message was not delivered: %@", Self.failure($0)) }
                ?? localized("The message was not delivered.")
        case .undelivered:
            localized("The server has the message, but no device of the receiver confirmed it in time.")
        case .target: localized("There is no such message here, or this is not possible for it.")
        case .file: failure.text ?? localized("The file cannot be read.")
        case .store: failure.text ?? localized("It could not be saved on this computer.")
        case .account:
            localized("The program that has the profile open is not signed in to this account; close it first.")
        case .notEncrypted:
            failure.reason.map { localized("Not sent, because it cannot be encrypted: %@", Self.failure($0)) }
                ?? localized(
                    "Not sent, because encryption is off for this account or this conversation; `hongyan keys policy` changes that."
                )
        case .interrupted: localized("Interrupted.")
        }
    }
}
