internal import DataForms
public import XMLStreaming
public import XMPPClient
public import XMPPStanzas
internal import XMPPStream

/// Provides the answers for a server that creates an account: the name of the field or form field → its values.
///
/// Called only if the server asks for more than a name and a password. `nil` cancels.
public typealias RegistrationAnswers = @Sendable (RegistrationQuery) async -> [String: [String]]?

extension Client {
    /// Creates the account of the configuration on its server (XEP-0077 In-Band Registration).
    ///
    /// ```
    /// C: <iq type='get' id='r1'><query xmlns='jabber:iq:register'/></iq>
    /// S: <iq type='result' id='r1'><query xmlns='jabber:iq:register'><username/><password/></query></iq>
    /// C: <iq type='set' id='r2'><query xmlns='jabber:iq:register'><username>bill</username><password>…</password></query></iq>
    /// ```
    ///
    /// The connection is closed afterwards; log in with ``XMPPClient/Client/run(from:_:)``.
    public func registerAccount(answering answers: @escaping RegistrationAnswers = { _ in nil })
        async throws(RegistrationError)
    {
        let username = configuration.address.local ?? ""
        let password = configuration.credentials.password ?? ""
        do {
            try await register { stream in
                // A server may support registration without announcing it (XEP-0077 §8), so the request is sent anyway.
                try await Self.register(username, password, on: stream, answers)
            }
        } catch let error as RegistrationError {
            throw error
        } catch let error as ClientError {
            throw RegistrationError(error)
        } catch {
            throw RegistrationError(.connection, "\(error)")
        }
    }

    private static func register(
        _ username: String, _ password: String, on stream: RegistrationStream, _ answers: RegistrationAnswers
    ) async throws {
        let query = try await stream.request(RegistrationRequest())
        var known = ["username": [username], "password": [password]]
        let isFormEmpty = query.form == nil && query.fields.isEmpty
        if isFormEmpty, let page = query.webPage {
            throw RegistrationError(.webPage, "Accounts are created on a web page: \(page)")
        }
        if query.needsMore(than: known) {
            guard let more = await answers(query) else {
                throw RegistrationError(
                    .answersMissing, "The server asks for more than a name and a password: \(query.questions).")
            }
            known.merge(more) { _, new in new }
        }
        _ = try await stream.request(RegistrationSubmission(query.answered(with: known)))
    }
}

extension RegistrationQuery {
    /// Whether the server asks for anything that is not in `known`.
    func needsMore(than known: [String: [String]]) -> Bool {
        if let form {
            return form.fields.contains {
                $0.isRequired && $0.name.map { known[$0] == nil } ?? false && $0.values.isEmpty
            }
        }
        return fields.contains { known[$0.name] == nil && $0.name != "key" }
    }

    /// The questions as text for the user.
    var questions: String {
        if let form {
            return form.fields.filter(\.isRequired).compactMap { $0.label ?? $0.name }.joined(separator: ", ")
        }
        return fields.map(\.name).joined(separator: ", ")
    }

    /// The answer: the form, if there was one, otherwise the simple fields (§4).
    ///
    /// - Parameter answers: by the name of the field; hidden fields keep their values.
    public func answered(with answers: [String: [String]]) -> RegistrationQuery {
        if let form { return RegistrationQuery(form: form.answered(with: answers)) }
        return RegistrationQuery(
            fields: fields.map { Field(name: $0.name, value: answers[$0.name]?.first ?? $0.value) })
    }
}

extension Session {
    /// Changes the password of the account (XEP-0077 §3.3). A session exists only over an encrypted connection.
    public func changePassword(to password: String) async throws(RegistrationError) {
        let username = address?.local ?? ""
        try await submit(
            RegistrationQuery(
                fields: [.init(name: "username", value: username), .init(name: "password", value: password)]))
    }

    /// Deletes the account permanently (XEP-0077 §3.2). The server then ends the session.
    public func cancelAccount() async throws(RegistrationError) {
        try await submit(RegistrationQuery(isRemoval: true))
    }

    private func submit(_ query: RegistrationQuery) async throws(RegistrationError) {
        do {
            _ = try await request(RegistrationSubmission(query))
        } catch {
            throw RegistrationError(error)
        }
    }
}

/// The token of an invitation: it authorizes a registration (XEP-0445 Pre-Authenticated In-Band Registration §4), and
/// identifies the invited user in a subscription request (XEP-0379 Pre-Authenticated Roster Subscription §4).
///
/// ```
/// C: <iq type='set' to='example.com' id='pa1'><preauth xmlns='urn:xmpp:pars:0' token='1tMFqYDdKhfe2pwp'/></iq>
/// S: <iq type='result' from='example.com' id='pa1'/>
/// ```
public struct Preauthentication: IQRequest, PresencePayload, Hashable {
    public typealias Response = EmptyResponse
    public static let name = XMLName("preauth", StreamNamespace.preauthentication)
    public static let iqType = IQ.Kind.set

    public var token: String

    public init(token: String) {
        self.token = token
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        token = try element.required("token")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("token", token)
        writer.end()
    }
}
