#if LoggingSupport
    public import Logging

    extension SessionLog {
        /// Writes the log of a session to a logger of swift-log.
        ///
        ///     configuration.add { SessionLog($0, logger: logger) }
        ///
        /// Failures are written at the level `info`, because a session recovers from most of them itself; steps at `debug`, and
        /// stanzas and XML at `trace`. What the logger does not write is not inspected. XML is not written unless `logsXML`
        /// is set, because it contains the texts of users.
        public init(_ session: Session, logger: Logger, logsXML: Bool = false) {
            self.init(session, Self.level(of: logger, logsXML)) { level, line in
                logger.log(level: level.loggerLevel, "\(line)", metadata: ["xmpp.level": "\(level)"])
            }
        }

        private static func level(of logger: Logger, _ logsXML: Bool) -> Level {
            switch logger.logLevel {
            case .trace: logsXML ? .wire : .stanzas
            case .debug: .steps
            default: .failures
            }
        }
    }

    extension SessionLog.Level {
        fileprivate var loggerLevel: Logger.Level {
            switch self {
            case .failures: .info
            case .steps: .debug
            case .stanzas, .wire: .trace
            }
        }
    }
#endif
