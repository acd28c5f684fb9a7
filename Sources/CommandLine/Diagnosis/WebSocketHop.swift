internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPStream

/// Whether the domain can be reached where only HTTPS gets through: its host-meta file (XEP-0156) and the WebSockets in it.
struct WebSocketHop: DiagnosisHop {
    /// One WebSocket of the file.
    struct Attempt: Sendable, Equatable {
        var url: String
        /// Whether a stream opened there.
        var isOpen: Bool
        var failure: String?
        var duration: Duration?
    }

    /// The file that named them; `nil` when there is none.
    var file: String?
    var attempts: [Attempt] = []
    /// Why there is no file, or none that can be read.
    var failure: String?
    var duration: Duration?

    var place: DiagnosisPlace { .webSocket }

    var outcome: DiagnosisOutcome {
        if attempts.isEmpty { return .skipped }
        return attempts.allSatisfy(\.isOpen) ? .passed : .warning
    }

    var summary: Phrase {
        if attempts.isEmpty { return Phrase("not announced: without TCP the domain cannot be reached") }
        return attempts.contains(where: \.isOpen)
            ? Phrase("a way where only HTTPS gets through") : Phrase("announced, but not usable")
    }

    var details: [DiagnosisDetail] {
        attempts.map { attempt in
            if attempt.isOpen { return .init(.verbatim(attempt.url), .passed) }
            return .init(Phrase("%@: %@", attempt.url, attempt.failure ?? "–"), .failed)
        }
    }

    var facts: [(String, JSONValue)] {
        [
            ("file", .text(file)), ("error", .text(failure)),
            (
                "attempts",
                .array(
                    attempts.map {
                        [
                            "url": .string($0.url), "open": .bool($0.isOpen), "error": .text($0.failure),
                            "milliseconds": .count($0.duration?.wholeMilliseconds),
                        ]
                    })
            ),
        ]
    }

    /// Real files have some hundred bytes.
    private static let fileBytes = 64 * 1024
    private static let mostURLs = 4

    /// - Returns: `nil` where a host was named: the file belongs to a domain.
    static func look(at address: JID, _ settings: DiagnosisSettings) async -> WebSocketHop? {
        guard settings.host == nil, address.domainKind == .name else { return nil }
        let start = ContinuousClock.now
        var hop = WebSocketHop()
        var urls: [WebSocketURL] = []
        for suffix in ["", ".json"] {
            do throws(TransportError) {
                let (file, found) = try await links(of: address.asciiDomain, suffix, settings)
                hop.file = file
                urls = Array(found.prefix(mostURLs))
                if !urls.isEmpty { break }
            } catch {
                hop.failure = hop.failure ?? error.description
                // Only a server that has answered may have the other form.
                guard error.code == .httpStatus || error.code == .httpFailed else { break }
            }
        }
        if !urls.isEmpty { hop.failure = nil }
        hop.attempts = await concurrently(urls) { await attempt($0, address, settings) }
        hop.duration = .now - start
        return hop
    }

    private static func links(
        of domain: String, _ suffix: String, _ settings: DiagnosisSettings
    ) async throws(TransportError) -> (file: String, urls: [WebSocketURL]) {
        // Nobody is asked about the certificate of a web server beside the one of the server itself.
        var http = HTTPClient.Configuration(trust: settings.asksPerson ? .system : settings.trust)
        http.resolver = settings.resolver
        http.total = settings.patience
        let port = settings.hostMetaPort == 443 ? "" : ":\(settings.hostMetaPort)"
        let url = "https://\(domain)\(port)/.well-known/host-meta\(suffix)"
        let body = try await HTTPClient(configuration: http).download(url, limit: fileBytes).body
        let file = suffix.isEmpty ? try HostMeta(xml: body) : try HostMeta(json: body)
        return (url, file.webSocketURLs)
    }

    private static func attempt(_ url: WebSocketURL, _ address: JID, _ settings: DiagnosisSettings) async -> Attempt {
        let start = ContinuousClock.now
        let result = await StreamProbe(
            address: address.bare, trust: settings.asksPerson ? .system : settings.trust, patience: settings.patience,
            asksPerson: false
        ).run(at: url, resolver: settings.resolver)
        return Attempt(
            url: url.description, isOpen: result.features != nil,
            failure: result.error?.description ?? result.failure?.description, duration: .now - start)
    }
}
