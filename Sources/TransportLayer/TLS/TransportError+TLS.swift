import COpenSSL

extension TransportError {
    /// The error for what OpenSSL has put into its queue.
    init(tls operation: String, _ code: Code = .tlsFailed) {
        let number = ERR_get_error()
        ERR_clear_error()
        var words = "unknown reason"
        if let reason = ERR_reason_error_string(number) { words = String(cString: reason) }
        if words == "wrong version number" || words == "record layer failure" {
            words += "; the peer may not speak TLS there"
        }
        self.init(code, "\(operation): \(words).")
    }
}
