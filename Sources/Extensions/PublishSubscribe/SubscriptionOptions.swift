public import DataForms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// What a service delivers to one subscription (XEP-0060 Publish-Subscribe §6.3, §16.4.3).
///
/// A `nil` option keeps the value of the service.
public struct SubscriptionOptions: Sendable, Equatable {
    /// Whether anything is delivered.
    public var delivers: Bool?
    /// Whether several events are delivered together.
    public var isDigest: Bool?
    /// The interval between digests.
    public var digestInterval: Duration?
    public var includesBody: Bool?
    /// The availability in which events are delivered, such as `chat` and `online`.
    public var availabilities: [String]?
    /// Options without a property here, by their full name.
    public var others: [String: [String]] = [:]

    public init() {}

    /// Reads a form of the service. Unknown values are ignored.
    public init(_ form: DataForm) {
        for field in form.fields {
            guard let name = field.name, name != "FORM_TYPE" else { continue }
            switch name {
            case "pubsub#deliver": delivers = field.isTrue
            case "pubsub#digest": isDigest = field.isTrue
            case "pubsub#digest_frequency":
                digestInterval = field.values.first.flatMap { Int32($0) }.map { .milliseconds($0) }
            case "pubsub#include_body": includesBody = field.isTrue
            case "pubsub#show-values": availabilities = field.values
            default: others[name] = field.values
            }
        }
    }

    /// The options that are set, by their full name.
    public var values: [String: [String]] {
        var values = others
        func set(_ name: String, _ value: String?) {
            if let value { values["pubsub#" + name] = [value] }
        }
        set("deliver", delivers.map(String.init))
        set("digest", isDigest.map(String.init))
        set("digest_frequency", digestInterval.map { String(Int64($0 / .milliseconds(1))) })
        set("include_body", includesBody.map(String.init))
        if let availabilities { values["pubsub#show-values"] = availabilities }
        return values
    }

    /// The options as a form to submit.
    var form: DataForm {
        let type = DataFormField(name: "FORM_TYPE", kind: .hidden, values: [Self.formType])
        let fields = values.sorted { $0.key < $1.key }.map { DataFormField(name: $0.key, values: $0.value) }
        return DataForm(kind: .submit, fields: [type] + fields)
    }

    private static let formType = "http://jabber.org/protocol/pubsub#subscribe_options"
}

/// Requests the options of a subscription (XEP-0060 Publish-Subscribe §6.3.2).
///
/// ```
/// C: <iq type='get' to='pubsub.shakespeare.lit'><pubsub xmlns='http://jabber.org/protocol/pubsub'>
///      <options node='princely_musings' jid='francisco@denmark.lit'/></pubsub></iq>
/// ```
public struct SubscriptionOptionsRequest: IQRequest, Equatable {
    public static let name = PublishSubscribeNames.request

    /// The form with the current values.
    public struct Response: IQResponse, Equatable {
        public var form: DataForm

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            let options = payload?.firstChild(SubscriptionOptionsRequest.optionsName)
            guard let form = try options?.decode(DataForm.self) else {
                throw XMLDecodingError(SubscriptionOptionsRequest.name, .missingElement(DataForm.name))
            }
            self.form = form
        }
    }

    public var node: String
    public var address: JID
    public var subscriptionID: String?

    public init(node: String, address: JID, subscriptionID: String? = nil) {
        self.node = node
        self.address = address
        self.subscriptionID = subscriptionID
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let options = try element.required(Self.optionsName)
        self.init(
            node: try options.required("node"), address: try options.requiredAddress("jid"),
            subscriptionID: options["subid"])
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        start(&writer)
        writer.end()
        writer.end()
    }

    func start(_ writer: inout XMLWriter) {
        writer.start(Self.optionsName)
        writer.attribute("node", node)
        writer.attribute("jid", address.description)
        writer.attribute("subid", subscriptionID)
    }

    static let optionsName = XMLName("options", PublishSubscribeNames.client)
}

/// Changes the options of a subscription (XEP-0060 Publish-Subscribe §6.3.5).
public struct SubscriptionOptionsChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = PublishSubscribeNames.request
    public static let iqType = IQ.Kind.set

    /// Whose options they are.
    public var subscription: SubscriptionOptionsRequest
    public var form: DataForm

    public init(_ subscription: SubscriptionOptionsRequest, form: DataForm) {
        self.subscription = subscription
        self.form = form
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        subscription = try SubscriptionOptionsRequest(from: element)
        let options = try element.required(SubscriptionOptionsRequest.optionsName)
        form = try DataForm(from: try options.required(DataForm.name))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        subscription.start(&writer)
        form.encode(to: &writer)
        writer.end()
        writer.end()
    }
}
