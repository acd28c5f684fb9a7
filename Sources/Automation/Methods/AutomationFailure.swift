internal import ChatModel
internal import ChatStore
internal import GroupChat
package import JSONRPC
internal import UserProfile
internal import XMPPClient

/// Why a method has no result, for programs: the member `failure` of the error's data.
package enum AutomationFailure: String, Sendable {
    /// There is no such account, or it is not signed in.
    case account
    /// There is no such message, conversation, contact, room or reader.
    case notFound = "not-found"
    /// There is no connection to the server.
    case offline
    /// The server or the other side refused it.
    case refused
    /// The store could not be read or written.
    case store
    /// A file cannot be read, or not be sent.
    case file
    /// The cursor is of another log, so the events after it are unknown.
    case unknownCursor = "unknown-cursor"
    /// The events after the cursor were removed.
    case eventsLost = "events-lost"
    /// The owner of the account does not allow it.
    case notAllowed = "not-allowed"
    /// Too often; the data says when to try again.
    case tooOften = "too-often"
    /// It needs a confirmation.
    case unconfirmed
}

extension JSONRPCError {
    package static func failure(_ failure: AutomationFailure, _ message: String, _ data: (String, JSONValue)...) -> Self
    {
        JSONRPCError(
            JSONRPCError.refusedCode, message,
            data: JSONValue([("failure", .string(failure.rawValue))] + data))
    }

    init(_ error: StoreError) {
        self = .failure(error.code == .invalidRequest ? .notFound : .store, Wording.failure(error))
    }

    init(_ error: ClientError) {
        let failure: AutomationFailure =
            error.code == .notConnected || error.code == .connectionFailed ? .offline : .refused
        self = .failure(failure, Wording.failure(error))
    }

    init(_ error: GroupChatError) {
        self = .failure(
            error.code == .connection ? .offline : .refused, Wording.failure(error), ("condition", .text(error.code)))
    }
}
