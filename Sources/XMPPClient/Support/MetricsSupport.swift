#if MetricsSupport
    internal import Metrics
    public import XMPPStanzas

    /// Counts what happens in a session with swift-metrics: `configuration.add { SessionMetrics($0) }`.
    ///
    /// | name | kind | is |
    /// | --- | --- | --- |
    /// | `xmpp_stanzas_received`, `xmpp_stanzas_sent` | counter, by `kind` | stanzas that passed the interceptors |
    /// | `xmpp_connections` | counter, by `resumed` | connections that came online |
    /// | `xmpp_connection_failures` | counter | connections that failed or were lost |
    /// | `xmpp_sending_failures` | counter | stanzas that failed after they were queued |
    /// | `xmpp_online` | gauge | 1 while online, otherwise 0 |
    /// | `xmpp_bytes_received`, `xmpp_bytes_sent` | counter | bytes of XML, every 10 seconds |
    ///
    /// No dimension contains an address, so their number is fixed.
    public final class SessionMetrics: SessionExtension, StanzaInterceptor {
        private let received: [Counter]
        private let sent: [Counter]
        private let connections = [false, true].map {
            Counter(label: "xmpp_connections", dimensions: [("resumed", "\($0)")])
        }
        private let failures = Counter(label: "xmpp_connection_failures")
        private let sendingFailures = Counter(label: "xmpp_sending_failures")
        private let online = Gauge(label: "xmpp_online")
        private let bytesReceived = Counter(label: "xmpp_bytes_received")
        private let bytesSent = Counter(label: "xmpp_bytes_sent")
        private let session: Session

        /// How often the bytes are added.
        private static let interval = Duration.seconds(10)

        public init(_ session: Session) {
            self.session = session
            let kinds = ["message", "presence", "iq"]
            received = kinds.map { Counter(label: "xmpp_stanzas_received", dimensions: [("kind", $0)]) }
            sent = kinds.map { Counter(label: "xmpp_stanzas_sent", dimensions: [("kind", $0)]) }
            online.record(0)
        }

        public var interceptors: [any StanzaInterceptor] { [self] }

        public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
            received[Self.index(stanza)].increment()
            return .pass(stanza)
        }

        public func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
            sent[Self.index(stanza)].increment()
            return .pass(stanza)
        }

        private static func index(_ stanza: AnyStanza) -> Int {
            switch stanza {
            case .message: 0
            case .presence: 1
            case .iq: 2
            }
        }

        public func run(in session: Session) async {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.countTraffic(of: session) }
                for await batch in session.events([.connection, .sending]) {
                    for event in batch { count(event) }
                }
                group.cancelAll()
            }
        }

        public func sessionEnded(_ session: Session) async { online.record(0) }

        private func count(_ event: SessionEvent) {
            switch event {
            case .connection(.online(_, let isResumed)):
                connections[isResumed ? 1 : 0].increment()
                online.record(1)
            case .connection(.disconnected(let error, _)):
                if error != nil { failures.increment() }
                online.record(0)
            case .sendingFailed: sendingFailures.increment()
            default: break
            }
        }

        private func countTraffic(of session: Session) async {
            var counted = await session.traffic
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let now = await session.traffic
                bytesReceived.increment(by: Int64(now.bytesReceived - counted.bytesReceived))
                bytesSent.increment(by: Int64(now.bytesSent - counted.bytesSent))
                counted = now
            }
        }
    }
#endif
