import CCurl
import COpenSSL
import Glibc

/// A request in progress.
///
/// `@unchecked Sendable`: created by a task, then passed to the thread of ``HTTPEngine``, and accessed only by that
/// thread until it returns the result.
final class HTTPTransfer: @unchecked Sendable {
    enum Outcome: Sendable {
        case response(HTTPResponse)
        case redirected(String)
        /// The user has to decide about the certificate.
        case undecided(TrustEvaluation)
        case failed(TransportError)
    }

    let request: HTTPRequest
    let target: HTTPURL
    /// The addresses of the host; empty if curl has to look them up.
    let addresses: [SocketAddress]
    let configuration: HTTPClient.Configuration
    private let trust: TrustPolicy

    private(set) var handle: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var knownAddresses: UnsafeMutablePointer<curl_slist>?
    private var response = HTTPResponse(status: 0)
    private var descriptor: Int32 = -1
    private var sent = 0
    private var evaluation: TrustEvaluation?
    private var failure: TransportError?
    private var progress = HTTPProgress(completed: 0, total: nil)
    /// Whether the engine has started it.
    var wasStarted = false
    /// When bytes were last transferred.
    private(set) var lastActivity = ContinuousClock.now

    init(
        request: HTTPRequest, target: HTTPURL, addresses: [SocketAddress], configuration: HTTPClient.Configuration,
        trust: TrustPolicy
    ) {
        self.request = request
        self.target = target
        self.addresses = addresses
        self.configuration = configuration
        self.trust = trust
    }

    // MARK: Set-up

    /// Creates the handle of curl.
    func prepare() throws(TransportError) -> UnsafeMutableRawPointer {
        for header in request.headers where !header.isValid {
            throw TransportError(.invalidConfiguration, "The header field \(header.name) has a line break or no name.")
        }
        try openFile()
        guard let handle = curl_easy_init() else { throw TransportError(.system, "curl cannot be started.") }
        self.handle = handle
        let own = Unmanaged.passUnretained(self).toOpaque()
        curl_easy_setopt_string(handle, CURLOPT_URL, request.url)
        curl_easy_setopt_string(handle, CURLOPT_PROTOCOLS_STR, target.isSecure ? "https" : "http")
        curl_easy_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
        curl_easy_setopt_string(handle, CURLOPT_USERAGENT, configuration.userAgent)
        curl_easy_setopt_long(handle, CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connecting.milliseconds))
        curl_easy_setopt_long(handle, CURLOPT_TIMEOUT_MS, Int(configuration.total.milliseconds))
        curl_easy_setopt_long(handle, CURLOPT_LOW_SPEED_LIMIT, configuration.minimumRate)
        curl_easy_setopt_long(handle, CURLOPT_LOW_SPEED_TIME, Int(configuration.rateWindow.components.seconds))
        if !addresses.isEmpty {
            let list = addresses.map { $0.isIPv6 ? "[\($0.address)]" : $0.address }.joined(separator: ",")
            // The plus sign makes curl forget them again; other transfers to the host do their own lookup.
            knownAddresses = curl_slist_append(nil, "+\(target.host):\(target.port):\(list)")
            curl_easy_setopt_pointer(handle, CURLOPT_RESOLVE, UnsafeMutableRawPointer(knownAddresses))
        }
        curl_easy_setopt_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, own in
            HTTPTransfer.of(own)?.headerReceived(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        curl_easy_setopt_pointer(handle, CURLOPT_HEADERDATA, own)
        curl_easy_setopt_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, own in
            HTTPTransfer.of(own)?.bytesReceived(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        curl_easy_setopt_pointer(handle, CURLOPT_WRITEDATA, own)
        curl_easy_setopt_long(handle, CURLOPT_NOPROGRESS, 0)
        curl_easy_setopt_progress(handle) { own, downTotal, down, upTotal, up in
            HTTPTransfer.of(own)?.moved(down: down, of: downTotal, up: up, of: upTotal)
            return 0
        }
        curl_easy_setopt_pointer(handle, CURLOPT_XFERINFODATA, own)
        if target.isSecure { try prepareTrust(handle, own) }
        if let proxy = configuration.proxy { use(proxy, handle) }
        prepareBody(handle, own)
        for header in request.headers { fields = curl_slist_append(fields, "\(header.name): \(header.value)") }
        // Disables "Expect: 100-continue", which costs a second with servers that do not support it.
        fields = curl_slist_append(fields, "Expect:")
        curl_easy_setopt_pointer(handle, CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(fields))
        return handle
    }

    private func use(_ proxy: Proxy, _ handle: UnsafeMutableRawPointer) {
        // With "h" curl leaves the addresses of hosts to the proxy.
        let scheme = proxy.kind == .socks5 ? "socks5h" : "http"
        curl_easy_setopt_string(handle, CURLOPT_PROXY, "\(scheme)://\(proxy.authority)")
        // Otherwise a variable of the environment could make an exception.
        curl_easy_setopt_string(handle, CURLOPT_NOPROXY, "")
        if let username = proxy.username {
            curl_easy_setopt_string(handle, CURLOPT_PROXYUSERNAME, username)
            curl_easy_setopt_string(handle, CURLOPT_PROXYPASSWORD, proxy.password ?? "")
        }
        // A proxy that forwarded requests itself could read those for a server on this machine.
        curl_easy_setopt_long(handle, CURLOPT_HTTPPROXYTUNNEL, 1)
        curl_easy_setopt_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    private func show(_ identity: TLSIdentity, _ handle: UnsafeMutableRawPointer) {
        curl_easy_setopt_string(handle, CURLOPT_SSLCERT, identity.certificateChainFile)
        curl_easy_setopt_string(handle, CURLOPT_SSLKEY, identity.privateKeyFile)
        // Without a passphrase OpenSSL would ask for it on the terminal.
        curl_easy_setopt_string(handle, CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }

    private func openFile() throws(TransportError) {
        switch (request.body, request.destination) {
        case (.file(let path), _):
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw TransportError(.invalidConfiguration, "\(path): \(systemMessage(errno)).")
            }
        case (_, .file(let path)):
            descriptor = open(Self.partName(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw TransportError(.invalidConfiguration, "\(path): \(systemMessage(errno)).")
            }
        default: break
        }
    }

    /// The name of an incomplete file.
    static func partName(_ path: String) -> String { path + ".part" }

    private func prepareTrust(_ handle: UnsafeMutableRawPointer, _ own: UnsafeMutableRawPointer) throws(TransportError)
    {
        curl_easy_setopt_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // A connection or session that another policy accepted must not be reused.
        curl_easy_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
        curl_easy_setopt_long(handle, CURLOPT_FORBID_REUSE, 1)
        curl_easy_setopt_long(handle, CURLOPT_SSL_SESSIONID_CACHE, 0)
        curl_easy_setopt_string(handle, CURLOPT_CAINFO, nil)
        curl_easy_setopt_string(handle, CURLOPT_CAPATH, nil)
        curl_easy_setopt_long(handle, CURLOPT_SSL_VERIFYPEER, 1)
        curl_easy_setopt_pointer(handle, CURLOPT_SSL_CTX_DATA, own)
        // The same verification as for XMPP, including the name, instead of curl's own; without it nothing is
        // transferred.
        let code = curl_easy_setopt_ssl_context(handle) { _, context, own in
            SSL_CTX_set_cert_verify_callback(context.map { OpaquePointer($0) }, judgeTransferChain, own)
            return CURLE_OK
        }
        guard code == CURLE_OK else {
            throw TransportError(.system, "This build of curl does not use OpenSSL, so certificates cannot be checked.")
        }
        curl_easy_setopt_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
        if let identity = configuration.identity, !request.body.isNone { show(identity, handle) }
    }

    private func prepareBody(_ handle: UnsafeMutableRawPointer, _ own: UnsafeMutableRawPointer) {
        let size: Int
        switch request.body {
        case .none: return
        case .bytes(let bytes): size = bytes.count
        case .file:
            var status = stat()
            size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        }
        curl_easy_setopt_long(handle, CURLOPT_UPLOAD, 1)
        curl_easy_setopt_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(size))
        curl_easy_setopt_callback(handle, CURLOPT_READFUNCTION) { buffer, size, count, own in
            HTTPTransfer.of(own)?.bytesWanted(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                ?? Int(CURL_READFUNC_ABORT)
        }
        curl_easy_setopt_pointer(handle, CURLOPT_READDATA, own)
    }

    // MARK: Callbacks

    static func of(_ pointer: UnsafeMutableRawPointer?) -> HTTPTransfer? {
        pointer.map { Unmanaged<HTTPTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func headerReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastActivity = .now
        let line = String(decoding: bytes, as: UTF8.self).trimmed
        if line.hasPrefix("HTTP/") {
            // A new response after an interim one (100, 103).
            response.headers = []
        } else if let colon = line.firstIndex(of: ":"), response.headers.count < Self.maximumHeaders {
            response.headers.append(
                HTTPHeader(String(line[..<colon]), String(line[line.index(after: colon)...]).trimmed))
        }
        return bytes.count
    }

    /// A limit that real servers do not reach.
    private static let maximumHeaders = 200

    private func bytesReceived(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastActivity = .now
        guard response.byteCount + bytes.count <= request.limit else {
            failure = TransportError(.tooLarge, "The file is larger than the \(request.limit) bytes allowed.")
            return 0
        }
        response.byteCount += bytes.count
        guard case .file(let path) = request.destination else {
            response.body.append(contentsOf: bytes)
            return bytes.count
        }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                failure = TransportError(.system, "Writing \(path): \(systemMessage(errno)).")
                return 0
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return bytes.count
    }

    private func bytesWanted(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastActivity = .now
        switch request.body {
        case .none: return 0
        case .bytes(let bytes):
            let count = min(buffer.count, bytes.count - sent)
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
            sent += count
            return count
        case .file(let path):
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                if errno == EINTR { continue }
                failure = TransportError(.system, "Reading \(path): \(systemMessage(errno)).")
                return Int(CURL_READFUNC_ABORT)
            }
        }
    }

    private func moved(down: curl_off_t, of downTotal: curl_off_t, up: curl_off_t, of upTotal: curl_off_t) {
        let isUpload = !request.body.isNone
        let total = isUpload ? upTotal : downTotal
        let now = HTTPProgress(completed: Int64(isUpload ? up : down), total: total > 0 ? Int64(total) : nil)
        guard now.completed != progress.completed else { return }
        progress = now
        lastActivity = .now
        request.progress?(now)
    }

    /// The result of verifying the chain, as an error number of OpenSSL.
    fileprivate func judge(_ chain: [Certificate]) -> Int32 {
        do throws(TransportError) {
            let evaluation = try trust.evaluate(chain, for: target.host)
            self.evaluation = evaluation
            switch trust.decide(evaluation) {
            case true?: return X509_V_OK
            case false?: failure = evaluation.refusal
            case nil: break
            }
            return evaluation.alertCode
        } catch {
            failure = error
            return X509_V_ERR_APPLICATION_VERIFICATION
        }
    }

    // MARK: End

    /// Releases all resources and returns the result.
    func finish(_ result: CURLcode) -> Outcome {
        var outcome = judgeResult(result)
        close()
        if case .file(let path) = request.destination {
            if case .response = outcome {
                if rename(Self.partName(path), path) != 0 {
                    outcome = .failed(TransportError(.system, "\(path): \(systemMessage(errno))."))
                }
            } else {
                unlink(Self.partName(path))
            }
        }
        return outcome
    }

    /// Aborts the transfer with our own error.
    func fail(_ error: TransportError) -> Outcome {
        failure = error
        return finish(CURLE_ABORTED_BY_CALLBACK)
    }

    private func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        if let handle { curl_easy_cleanup(handle) }
        handle = nil
        curl_slist_free_all(fields)
        fields = nil
        curl_slist_free_all(knownAddresses)
        knownAddresses = nil
    }

    private func judgeResult(_ result: CURLcode) -> Outcome {
        if let failure { return .failed(failure) }
        if result == CURLE_PEER_FAILED_VERIFICATION, let evaluation { return .undecided(evaluation) }
        guard result == CURLE_OK, let handle else { return .failed(Self.error(result, target.host)) }
        var status = 0
        curl_easy_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
        response.status = status
        if (200...299).contains(status) { return .response(response) }
        var location: UnsafeMutablePointer<CChar>?
        if [301, 302, 303, 307, 308].contains(status),
            curl_easy_getinfo_string(handle, CURLINFO_REDIRECT_URL, &location) == CURLE_OK, let location
        {
            return .redirected(String(cString: location))
        }
        return .failed(TransportError(.httpStatus, "The server \(target.host) answered with status \(status)."))
    }

    private static func error(_ result: CURLcode, _ host: String) -> TransportError {
        let words = String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: return TransportError(.hostNotFound, "The host \(host) has no address.")
        case CURLE_COULDNT_CONNECT: return TransportError(.connectionRefused, "Nothing accepts connections at \(host).")
        case CURLE_OPERATION_TIMEDOUT:
            return TransportError(.timedOut, "The server \(host) did not respond in time, or too slowly.")
        case CURLE_COULDNT_RESOLVE_PROXY: return TransportError(.hostNotFound, "The host of the proxy has no address.")
        case CURLE_PROXY: return TransportError(.proxyFailed, "The proxy did not connect to \(host).")
        case CURLE_SSL_CERTPROBLEM:
            return TransportError(.invalidConfiguration, "The client certificate or its key cannot be used.")
        case CURLE_SSL_CONNECT_ERROR: return TransportError(.tlsFailed, "TLS with \(host) failed: \(words).")
        default: return TransportError(.httpFailed, "The transfer with \(host) failed: \(words).")
        }
    }
}

/// OpenSSL's callback to verify a chain during a transfer.
private func judgeTransferChain(_ context: OpaquePointer?, _ own: UnsafeMutableRawPointer?) -> Int32 {
    guard let transfer = HTTPTransfer.of(own) else { return 0 }
    var chain = Certificate.list(X509_STORE_CTX_get0_untrusted(context))
    if chain.isEmpty, let leaf = Certificate(retaining: X509_STORE_CTX_get0_cert(context)) { chain = [leaf] }
    let verdict = transfer.judge(chain)
    X509_STORE_CTX_set_error(context, verdict)
    return verdict == X509_V_OK ? 1 : 0
}

extension String {
    /// Without the whitespace at both ends.
    fileprivate var trimmed: String {
        guard let start = firstIndex(where: { !$0.isWhitespace }), let end = lastIndex(where: { !$0.isWhitespace })
        else {
            return ""
        }
        return String(self[start...end])
    }
}
