internal import COpenSSL

/// Why an operation of libcrypto failed.
///
/// Digests and HMAC have no error: every provider of libcrypto implements them, so a failure there is a broken
/// installation and stops the program with a message.
public struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Equatable {
        /// The operating system provided no randomness. Operations that need a secret must stop.
        case randomnessUnavailable
        /// The iteration count of a key derivation is not in `1...Int32.max`.
        case invalidIterationCount(Int)
        /// A length in bytes is outside the range that libcrypto accepts.
        case invalidByteCount(Int)
        /// libcrypto refused, for example because its configuration (FIPS) forbids the parameters.
        case refused
    }

    /// The kind of error.
    public let code: Code
    /// libcrypto's reason, if it reported one.
    public let reason: String?

    init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    /// An error with the last reason that libcrypto reported on this thread. Its error queue is empty afterwards, so
    /// that a later TLS call on the same thread does not find it.
    static func fromLibrary(_ code: Code) -> CryptographyError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        guard number != 0, let text = ERR_reason_error_string(number) else { return CryptographyError(code) }
        return CryptographyError(code, reason: String(cString: text))
    }

    /// A description in English.
    public var description: String {
        let message =
            switch code {
            case .randomnessUnavailable: "The system provided no random bytes"
            case .invalidIterationCount(let count): "A key cannot be derived with \(count) iterations"
            case .invalidByteCount(let count): "A length of \(count) bytes is not possible"
            case .refused: "libcrypto refused the operation"
            }
        return reason.map { "\(message): \($0)." } ?? "\(message)."
    }
}
