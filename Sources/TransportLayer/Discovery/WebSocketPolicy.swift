/// When XMPP over WebSocket is used, which a domain names in its host-meta file.
public enum WebSocketPolicy: Sendable, Hashable, CaseIterable {
    case never

    /// When every TCP candidate of the domain has failed for a reason of the network: it was refused, cut off, reset, timed out or not
    /// found. Networks that let only HTTPS through look like that. A certificate that is refused, or another failure of TLS, is no such
    /// reason: whoever stands in the way there does not get a second chance.
    case whenBlocked

    /// In place of TCP, for tests and for networks that are known; SRV records are not asked for.
    case only

    /// Whether these failures of all TCP candidates allow a try with WebSocket.
    func isAllowed(after errors: [TransportError]) -> Bool {
        switch self {
        case .never: false
        case .only: true
        case .whenBlocked:
            // Without DNS the domain of the file cannot be found either.
            !errors.isEmpty && errors.allSatisfy { Self.networkReasons.contains($0.code) }
                && !errors.allSatisfy { $0.code == .resolutionFailed }
        }
    }

    private static let networkReasons: Set<TransportError.Code> = [
        .connectionRefused, .unreachable, .timedOut, .connectionReset, .truncated, .hostNotFound, .resolutionFailed,
    ]
}
