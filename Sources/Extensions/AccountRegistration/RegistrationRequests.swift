public import XMLStreaming
public import XMPPStanzas

/// Asks what the server wants to know before it creates an account (XEP-0077 In-Band Registration §3.1).
public struct RegistrationRequest: IQRequest, Equatable {
    public typealias Response = RegistrationQuery
    public static let name = RegistrationQuery.name

    public init() {}

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}

/// Gives the server what it wanted to know, changes the password or cancels the account (XEP-0077 §3.1 to §3.3).
public struct RegistrationSubmission: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = RegistrationQuery.name
    public static let iqType = IQ.Kind.set

    public var query: RegistrationQuery

    public init(_ query: RegistrationQuery) {
        self.query = query
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        query = try RegistrationQuery(from: element)
    }

    public func encode(to writer: inout XMLWriter) {
        query.encode(to: &writer)
    }
}

extension RegistrationQuery: IQResponse {}
