internal import Automation
internal import ChatModel
internal import JSONRPC
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPStream

/// Whether the domain can be reached through HTTPS only: its host-meta file (XEP-0156) and the WebSockets in it.
struct WebSocketCheck: DiagnosisCheck {
    /// A WebSocket of the file.
    struct Attempt: Sendable, Equatable {
        var url: String
        /// Whether a stream could be opened.
        var isOpen: Bool
        var failure: Phrase?
        var duration: Duration?
    }

    /// The host-meta file; `nil` if there is none.
    var file: String?
    var attempts: [Attempt] = []
    /// Why there is no readable file.
    var failure: Phrase?
    var duration: Duration?

    var step: DiagnosisStep { .webSocket }

    var outcome: DiagnosisOutcome {
        if attempts.isEmpty { return .skipped }
        return attempts.allSatisfy(\.isOpen) ? .passed : .warning
    }

    var summary: Phrase {
        if attempts.isEmpty { return Phrase("not announced: without TCP the domain is unreachable") }
        return attempts.contains(where: \.isOpen)
            ? Phrase("usable in networks that allow only HTTPS") : Phrase("announced, but not usable")
    }

    var details: [DiagnosisDetail] {
        attempts.map { attempt in
            if attempt.isOpen { return .init(.verbatim(attempt.url), .passed) }
            return .init(Phrase("%@: %@", attempt.url, attempt.failure ?? .verbatim("–")), .failed)
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

    /// Bytes. Real files have a few hundred.
    private static let fileBytes = 64 * 1024
    private static let maximumURLs = 4

    /// - Returns: `nil` if a host was given: the file belongs to a domain.
    static func run(at address: JID, _ settings: DiagnosisSettings) async -> WebSocketCheck? {
        guard settings.host == nil, address.domainKind == .name else { return nil }
        let start = ContinuousClock.now
        var check = WebSocketCheck()
        var urls: [WebSocketURL] = []
        for suffix in ["", ".json"] {
            do throws(TransportError) {
                let (file, found) = try await links(of: address.asciiDomain, suffix, settings)
                check.file = file
                urls = Array(found.prefix(maximumURLs))
                if !urls.isEmpty { break }
            } catch {
                check.failure = check.failure ?? .wording { Wording.failure(error) }
                // Only a server that responded may have the other format.
                guard error.code == .httpStatus || error.code == .httpFailed else { break }
            }
        }
        if !urls.isEmpty { check.failure = nil }
        check.attempts = await concurrently(urls) { await attempt($0, address, settings) }
        check.duration = .now - start
        return check
    }

    private static func links(
        of domain: String, _ suffix: String, _ settings: DiagnosisSettings
    ) async throws(TransportError) -> (file: String, urls: [WebSocketURL]) {
        // The user is asked only about the certificate of the server itself, not about that of a web server.
        var http = HTTPClient.Configuration(trust: settings.asksUser ? .system : settings.trust)
        http.resolver = settings.resolver
        http.total = settings.timeout
        let port = settings.hostMetaPort == 443 ? "" : ":\(settings.hostMetaPort)"
        let url = "https://\(domain)\(port)/.well-known/host-meta\(suffix)"
        let body = try await HTTPClient(configuration: http).download(url, limit: fileBytes).body
        let file = suffix.isEmpty ? try HostMeta(xml: body) : try HostMeta(json: body)
        return (url, file.webSocketURLs)
    }

    private static func attempt(_ url: WebSocketURL, _ address: JID, _ settings: DiagnosisSettings) async -> Attempt {
        let start = ContinuousClock.now
        let result = await StreamProbe(
            address: address.bare, trust: settings.asksUser ? .system : settings.trust, timeout: settings.timeout,
            asksUser: false
        ).run(at: url, resolver: settings.resolver)
        return Attempt(
            url: url.description, isOpen: result.features != nil,
            failure: result.error.map { error in .wording { Wording.failure(error) } } ?? result.failure?.reason,
            duration: .now - start)
    }
}
