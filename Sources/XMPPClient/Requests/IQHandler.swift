public import XMLStreaming
public import XMPPStanzas

/// Answers requests of one kind: those of type `get` or `set` whose child has a certain name.
///
/// Each kind has one handler. Its requests are answered one after the other in the order of their arrival, or several
/// at a time if the handler allows it (``concurrently(_:)``); a handler may send requests itself. An error thrown by a
/// handler is sent to the requester: a `StanzaError` unchanged, an unreadable payload as `bad-request`, anything else as
/// `internal-server-error`.
public struct IQHandler: Sendable {
    /// The request for which a handler is registered.
    public struct Key: Hashable, Sendable {
        public let type: IQ.Kind
        public let name: XMLName

        public init(type: IQ.Kind, name: XMLName) {
            self.type = type
            self.name = name
        }
    }

    public let key: Key
    /// The feature that service discovery announces for this handler; `nil` announces none.
    public let feature: String?
    /// The senders whose requests are answered. All others get the error of the server for an address without a client.
    public let audience: Audience
    /// The number of requests that are answered at the same time.
    private(set) var width = 1
    let answer: @Sendable (IQ) async throws -> (any XMLEncodable)?

    /// A handler for the complete stanza.
    ///
    /// - Parameters:
    ///   - feature: The feature to announce; by default the namespace of the payload.
    ///   - audience: The senders whose requests are answered; by default those who may know that this session is
    ///     online.
    ///   - answer: Returns the child of the result; `nil` for an empty result.
    public init(
        _ type: IQ.Kind, _ name: XMLName, feature: Feature = .namespace, audience: Audience = .admitted,
        answer: @escaping @Sendable (IQ) async throws -> (any XMLEncodable)?
    ) {
        precondition(type == .get || type == .set, "Only requests have handlers.")
        key = Key(type: type, name: name)
        self.feature = feature.name(for: name)
        self.audience = audience
        self.answer = answer
    }

    /// A handler for a typed request.
    public init<Request: IQRequest>(
        _ request: Request.Type, feature: Feature = .namespace, audience: Audience = .admitted,
        answer: @escaping @Sendable (Request, IQ) async throws -> Request.Response
    ) where Request.Response: XMLEncodable {
        self.init(Request.iqType, Request.name, feature: feature, audience: audience) { iq in
            guard let payload = iq.payload else { throw StanzaError(.badRequest) }
            return try await answer(Request(from: payload), iq)
        }
    }

    /// A handler for a typed request whose result is empty.
    public init<Request: IQRequest>(
        _ request: Request.Type, feature: Feature = .namespace, audience: Audience = .admitted,
        perform: @escaping @Sendable (Request, IQ) async throws -> Void
    ) where Request.Response == EmptyResponse {
        self.init(Request.iqType, Request.name, feature: feature, audience: audience) { iq in
            guard let payload = iq.payload else { throw StanzaError(.badRequest) }
            try await perform(Request(from: payload), iq)
            return nil
        }
    }

    /// The same handler, which answers up to `width` requests at a time: one that takes long does not delay the others.
    /// Their order is then not defined.
    public func concurrently(_ width: Int) -> IQHandler {
        precondition(width > 0, "At least one request is answered at a time.")
        var handler = self
        handler.width = width
        return handler
    }

    /// The senders whose requests a handler answers.
    public enum Audience: Sendable, Hashable {
        /// Those who may know that this session is online: ``Session/mayLearnPresence(_:)``.
        case admitted
        /// Every sender that knows the full address, for a service that hides nothing.
        case everybody
    }

    /// The feature that service discovery announces for a handler.
    public enum Feature: Sendable, Hashable {
        /// The namespace of the payload.
        case namespace
        case named(String)
        /// None, for requests that only our server sends.
        case none

        func name(for payload: XMLName) -> String? {
            switch self {
            case .namespace: payload.namespace
            case .named(let name): name
            case .none: nil
            }
        }
    }

    /// The stanza that answers a request.
    func reply(to iq: IQ) async -> IQ {
        do {
            return .result(for: iq, payload: try await answer(iq))
        } catch let error as StanzaError {
            return .error(for: iq, error)
        } catch is XMLDecodingError {
            return .error(for: iq, StanzaError(.badRequest))
        } catch {
            return .error(for: iq, StanzaError(.internalServerError))
        }
    }
}
