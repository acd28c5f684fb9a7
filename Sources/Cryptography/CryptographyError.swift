internal import COpenSSL

/// Why libcrypto could not do what it was asked for.
///
/// Digests and HMAC have no error: every provider of libcrypto implements them, so a failure there is a broken
/// installation and stops the program with a sentence.
public struct CryptographyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        /// The operating system gave no randomness. Nothing that needs a secret may go on.
        case randomnessUnavailable
        /// The iteration count of a key derivation is not in `1...Int32.max`.
        case invalidIterationCount(Int)
        /// A length is not in the range libcrypto accepts, in bytes.
        case invalidByteCount(Int)
        /// libcrypto refused, for instance because its configuration (FIPS) forbids the parameters.
        case refused
    }

    /// What went wrong.
    public let code: Code
    /// libcrypto's own reason, where it left one.
    public let reason: String?

    init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    /// The error with the last reason libcrypto left on this thread; its queue of errors is empty afterwards, so
    /// that a later TLS call on the same thread does not find it.
    static func fromLibrary(_ code: Code) -> CryptographyError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        guard number != 0, let text = ERR_reason_error_string(number) else { return CryptographyError(code) }
        return CryptographyError(code, reason: String(cString: text))
    }

    /// The error as a sentence for a person.
    public var description: String {
        let sentence =
            switch code {
            case .randomnessUnavailable: "The system gave no random bytes"
            case .invalidIterationCount(let count): "A key cannot be derived with \(count) iterations"
            case .invalidByteCount(let count): "A length of \(count) bytes is not possible here"
            case .refused: "libcrypto refused the operation"
            }
        return reason.map { "\(sentence): \($0)." } ?? "\(sentence)."
    }
}
