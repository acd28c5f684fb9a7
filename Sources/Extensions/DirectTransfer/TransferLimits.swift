internal import XMPPClient

/// The limits of direct transfers: what others can make this program keep open, wait for or write.
enum TransferLimits {
    /// The usual block inside of the XML stream, in bytes: four thirds of it stay below the stanzas that every server
    /// accepts (XEP-0478: at least 10,000).
    static let blockSize: UInt16 = 4096
    /// The largest block that is accepted.
    static let largestBlock: UInt16 = 16_384
    /// Unconfirmed blocks on the way: enough for a slow connection, little enough not to delay messages.
    static let blocksUnderWay = 4
    /// Bytes that were received and are not written; further blocks wait.
    static let unwrittenBytes = 256 << 10
    /// Offers that wait for the user, of all peers; others are declined as busy.
    static let openOffers = 64
    /// Offers that wait for the user, of one account.
    static let openOffersOfOne = 8
    /// What is read and written at a time, in bytes.
    static let chunk = 64 << 10
    /// The maximum size of a bytestream's first bytes, those of SOCKS, in bytes: three messages of at most 262.
    static let handshakeBytes = 1024
}

/// What a program allows for direct transfers.
public struct DirectTransferPolicy: Sendable, Hashable {
    /// Whether the other device may learn the network address of this one. Then both try to connect directly; otherwise
    /// only through a proxy of our own server, or inside of the XML stream.
    public var disclosesAddresses = false
    /// The maximum size of a file that is received, in bytes.
    public var maximumSize: UInt64 = 1 << 30
    /// How long an offer waits for the answer of a user.
    public var answerTimeout = Duration.seconds(600)
    /// How long the connections may take.
    public var connectionTimeout = Duration.seconds(20)
    /// How long a transfer may stand still, and the time over which its rate is measured.
    public var idleTimeout = Duration.seconds(60)
    /// In bytes per second. A slower transfer ends, so that no peer keeps one open for ever with single bytes.
    public var minimumRate: UInt32 = 512
    /// How long the bytes may take.
    public var maximumDuration = Duration.seconds(6 * 3600)
    /// Transfers that run at the same time; offers beyond it wait until their answer.
    public var maximumTransfers = 8

    public init() {}
}

/// Why a transfer failed.
public struct TransferFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The receiver does not want the file.
        case declined
        /// The other side ended the transfer.
        case cancelledByPeer
        /// This side ended the transfer.
        case cancelled
        /// The other device is not there, or has no direct transfers.
        case unavailable
        /// Neither a direct connection nor one inside of the XML stream was possible.
        case unreachable
        /// Nothing happened for too long.
        case timedOut
        /// The file is larger than allowed, or than it was said to be.
        case tooLarge
        /// The bytes do not have the announced size or hash.
        case damaged
        /// The connection of the account was lost.
        case connectionLost
        /// The file could not be read or written here.
        case storageFailed
        /// The other side does not follow the protocol.
        case protocolViolation
    }

    public let code: Code
    /// One sentence in English.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static let unreachable = TransferFailure(.unreachable, "The two devices could not be connected.")
    static let connectionLost = TransferFailure(.connectionLost, "The connection of the account was lost.")
    static let peerLeft = TransferFailure(.unavailable, "The other device is not online any more.")
    static let cancelled = TransferFailure(.cancelled, "The transfer was cancelled.")
    static let declinedHere = TransferFailure(.cancelled, "The file was declined.")
    static let tooLarge = TransferFailure(.tooLarge, "The file is larger than allowed.")
    static let damaged = TransferFailure(.damaged, "The file does not have the announced size and hash.")
    static let storageFailed = TransferFailure(.storageFailed, "The file could not be read or written.")
    static let timedOut = TransferFailure(.timedOut, "The other side did not answer in time.")
    static let incomplete = TransferFailure(.damaged, "The connection ended before the file was complete.")
    static let violation = TransferFailure(.protocolViolation, "The other side does not follow the protocol.")

    /// What the other side says.
    init(_ reason: JingleReason) {
        switch reason.condition {
        case .decline, .busy: self.init(.declined, "The receiver declined the file.")
        case .cancel, .success: self.init(.cancelledByPeer, "The other side cancelled the transfer.")
        case .timeout: self = .timedOut
        case .gone: self = .peerLeft
        case .unsupportedApplications, .unsupportedTransports:
            self.init(.unavailable, "The other device cannot receive files this way.")
        case .connectivityError, .failedTransport: self = .unreachable
        case .mediaError: self = .tooLarge
        default: self.init(.cancelledByPeer, "The other side ended the transfer.")
        }
    }

    init(_ error: ClientError) {
        switch error.stanzaError?.condition {
        case nil where error.code == .timedOut: self = .timedOut
        case nil: self = .connectionLost
        case .serviceUnavailable?, .featureNotImplemented?, .recipientUnavailable?, .itemNotFound?,
            .remoteServerNotFound?, .remoteServerTimeout?:
            self.init(.unavailable, "The other device is not online, or cannot receive files this way.")
        case _?: self.init(.cancelledByPeer, "The other side refused the transfer.")
        }
    }
}

/// How a transfer ended.
public enum TransferOutcome: Sendable, Hashable {
    case completed
    case failed(TransferFailure)
}
