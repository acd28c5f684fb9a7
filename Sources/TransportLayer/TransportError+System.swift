import Glibc

extension TransportError {
    /// The error for an `errno` value of a socket call.
    init(errno code: Int32, _ operation: String) {
        switch code {
        case ECONNREFUSED: self.init(.connectionRefused, "\(operation): nothing accepts connections there.")
        case ECONNRESET, EPIPE, ECONNABORTED:
            self.init(.connectionReset, "\(operation): the peer broke the connection off.")
        case ETIMEDOUT: self.init(.timedOut, "\(operation): the peer did not answer in time.")
        // A firewall on this machine forbids it.
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EPERM, EACCES:
            self.init(.unreachable, "\(operation): there is no way to that address (\(systemMessage(code))).")
        default: self.init(.system, "\(operation): \(systemMessage(code)).")
        }
    }

    static let cancelledByTask = TransportError(.cancelled, "The task was cancelled.")
    static let closedHere = TransportError(.closed, "The connection was closed on this side.")
}

/// The system's words for an `errno` value.
func systemMessage(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
