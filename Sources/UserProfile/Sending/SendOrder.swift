public import ChatModel
public import ChatStore
internal import Localization
public import XMPPAddress
public import XMPPClient

/// One message that a script wants sent: what `hongyan send` asks of the account, in its own process or in the program that has the
/// profile open (the parameters of the method `send`).
public struct SendOrder: Codable, Sendable, Equatable {
    /// How far the message must come before the order is done.
    public enum Goal: String, Codable, Sendable {
        /// It is on the disk, in the queue.
        case queued
        /// The server has it.
        case acknowledged
        /// A device of the receiver has it.
        case delivered
    }

    /// A file of this computer, prepared for sending.
    public struct File: Codable, Sendable, Equatable {
        /// Absolute.
        public var path: String
        public var mediaType: String
        public var name: String
        public var width: Int?
        public var height: Int?
        public var milliseconds: Int?
        /// It goes inside the message and is not uploaded.
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

    /// The account that sends it, by its bare address.
    public var account: JID
    /// A contact, a room that the account knows, or an occupant of one.
    public var to: JID
    /// The origin-id of the message (XEP-0359). The same order given twice is one message.
    public var id: String
    public var text: String
    public var file: File?
    public var goal: Goal
    /// Without a connection it waits in the queue; otherwise the order fails and nothing is saved.
    public var waitsOffline: Bool
    /// How long to wait for the server and then for a device of the receiver, in seconds.
    public var timeout: Int

    /// The usual ``timeout``.
    public static let timeout = 60

    public init(
        from account: JID, to receiver: JID, id: String, text: String = "", file: File? = nil,
        goal: Goal = .acknowledged, waitsOffline: Bool = false, timeout: Int = Self.timeout
    ) {
        self.account = account.bare
        to = receiver
        self.id = id
        self.text = text
        self.file = file
        self.goal = goal
        self.waitsOffline = waitsOffline
        self.timeout = timeout
    }
}

/// How far an order is: what the method `send` reports before its result.
public struct SendStep: Codable, Sendable, Equatable {
    public enum Stage: String, Codable, Sendable {
        case queued, uploading, acknowledged, delivered
    }

    public var stage: Stage
    /// 0 to 100, of an upload.
    public var percent: Int?

    init(_ stage: Stage, percent: Int? = nil) {
        self.stage = stage
        self.percent = percent
    }
}

/// What became of an order.
public struct SendAnswer: Codable, Sendable, Equatable {
    /// The origin-id of the message.
    public var id: String
    /// Its number in the store.
    public var message: Int64
    public var stage: SendOrder.Goal
    /// Why it waits, if it does, in the language of the program that has the profile open.
    public var reason: String?
}

/// Why a message was not sent, or is not known to have arrived.
public struct SendFailure: Error, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// There is no connection to the server; nothing was saved.
        case offline
        /// The connection was lost before the server confirmed the message, which stays in the queue.
        case unconfirmed
        /// The server did not confirm the message in time; nothing was saved.
        case late
        /// The server or the receiver sent it back, or it could not be sent at all: ``reason``.
        case failed
        /// The server has it; no device of the receiver confirmed it in time.
        case undelivered
        /// There is no such file, or it cannot be stored.
        case file
        /// The store could not be written.
        case store
        /// The program that has the profile open is not signed in to the account.
        case account
        /// The program is ending.
        case interrupted
    }

    public var code: Code
    /// Why there is no connection; not known of another program, which says ``text``.
    public var cause: ClientError?
    public var reason: FailureReason?
    /// In the language of the program that has the profile open.
    public var text: String?

    package init(_ code: Code, cause: ClientError? = nil, reason: FailureReason? = nil, text: String? = nil) {
        self.code = code
        self.cause = cause
        self.reason = reason
        self.text = text
    }

    /// The failure of an order that another program has tried to carry out.
    public init?(_ fault: ProfileFault) {
        guard let data = fault.data, let code = data["failure"].flatMap(Code.init) else { return nil }
        self.init(code, text: data["text"])
        if let condition = data["condition"] {
            reason = FailureReason(
                data["refused"] == nil ? .notSent : .refused, condition: condition, text: data["said"])
        }
    }

    /// The same for a program at the other end of a socket.
    var fault: ProfileFault {
        var data = ["failure": code.rawValue]
        data["text"] = text
        data["condition"] = reason?.condition
        data["said"] = reason?.text
        if reason?.kind == .refused { data["refused"] = "yes" }
        return ProfileFault(ProfileFault.refusedCode, code.rawValue, data: data)
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
        case .file: failure.text ?? localized("The file cannot be read.")
        case .store: failure.text ?? localized("It could not be saved on this computer.")
        case .account:
            localized("The program that has the profile open is not signed in to this account; close it first.")
        case .interrupted: localized("Interrupted.")
        }
    }
}
