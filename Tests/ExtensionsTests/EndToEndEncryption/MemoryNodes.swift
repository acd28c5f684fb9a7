import HongyanTesting
import OMEMO
import PublishSubscribe
import Synchronization
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// Personal events of accounts in memory, for a `MemoryServer`: nodes with items and an access model.
final class MemoryNodes: Sendable {
    struct Node: Sendable {
        var items: [(id: String, payload: XMLElement)] = []
        var accessModel = "open"
        var maximum = "max"
    }

    private struct State {
        var nodes: [String: Node] = [:]
        /// Requests for items by node, and requests in flight that are never answered.
        var requests: [String] = []
        var silent: Set<String> = []
        /// Stanzas that are sent before the answer to a request for a node.
        var before: [String: @Sendable (IQ) -> [String]] = [:]
        /// Lists that another device publishes right after the next one in their nodes.
        var overtaking: [String: OMEMODeviceList] = [:]
    }

    private let state = Mutex(State())
    private let owner: JID

    /// - Parameter owner: the account whose session talks to the server.
    init(owner: JID) { self.owner = owner }

    private func key(_ account: JID, _ node: String) -> String { "\(account.bare) \(node)" }

    func put(_ payload: XMLElement, id: String = "current", in node: String, of account: JID) {
        state.withLock { $0.nodes[key(account, node), default: Node()].put(id, payload) }
    }

    func put(_ list: OMEMODeviceList, of account: JID) {
        put(XMLElement(list), in: list.generation.devicesNode, of: account)
    }

    func put(_ bundle: OMEMOBundle, of device: OMEMODevice, at account: JID) {
        let id = bundle.generation == .current ? device.description : "current"
        put(XMLElement(bundle), id: id, in: bundle.generation.bundlesNode(of: device), of: account)
    }

    func change(_ node: String, of account: JID, _ body: (inout Node) -> Void) {
        state.withLock { body(&$0.nodes[key(account, node), default: Node()]) }
    }

    subscript(_ node: String, of account: JID) -> Node? { state.withLock { $0.nodes[key(account, node)] } }

    /// The devices in a list.
    func devices(_ generation: OMEMOGeneration, of account: JID) -> [UInt32] {
        guard let payload = self[generation.devicesNode, of: account]?.items.last?.payload else { return [] }
        return (try? OMEMODeviceList(from: payload))?.devices.map(\.id.number) ?? []
    }

    /// Leaves requests for the items of a node unanswered.
    func silence(_ node: String) { state.withLock { _ = $0.silent.insert(node) } }

    /// Answers later requests for the items of a node.
    func answerAgain(_ node: String) { state.withLock { _ = $0.silent.remove(node) } }

    /// Sends these before each answer to a request for the items of a node.
    func before(_ node: String, _ stanzas: @escaping @Sendable (IQ) -> [String]) {
        state.withLock { $0.before[node] = stanzas }
    }

    /// Another device publishes the list right after the next one in its node, before that is answered.
    func overtake(_ list: OMEMODeviceList) { state.withLock { $0.overtaking[list.generation.devicesNode] = list } }

    /// How often the items of a node were requested.
    func requests(of node: String) -> Int { state.withLock { $0.requests.count { $0.hasPrefix(node) } } }

    /// The rule for `MemoryServer.answer(_:)`; `nil` for what is not about nodes.
    func answer(_ element: XMLElement) -> [String]? {
        guard case .iq(let iq)? = try? AnyStanza(element), let payload = iq.payload, iq.isGet || iq.isSet else {
            return nil
        }
        let account = iq.to ?? owner
        if let request = try? ItemsRequest(from: payload), iq.isGet { return items(iq, account, request) }
        if let request = try? PublishRequest(from: payload), iq.isSet { return publish(iq, request) }
        if let request = try? NodeConfigurationRequest(from: payload), iq.isGet { return configuration(iq, request) }
        if let change = try? NodeConfigurationChange(from: payload), iq.isSet {
            self.change(change.node, of: owner) { node in
                node.accessModel = change.form["pubsub#access_model"]?.values.first ?? node.accessModel
                node.maximum = change.form["pubsub#max_items"]?.values.first ?? node.maximum
            }
            return [Self.text(.result(for: iq), account)]
        }
        if let request = try? RetractRequest(from: payload), iq.isSet {
            change(request.node, of: owner) { $0.items.removeAll { request.ids.contains($0.id) } }
            return [Self.text(.result(for: iq), account)]
        }
        if let request = try? NodeRemoval(from: payload), iq.isSet {
            state.withLock { $0.nodes[key(owner, request.node)] = nil }
            return [Self.text(.result(for: iq), account)]
        }
        return nil
    }

    private func items(_ iq: IQ, _ account: JID, _ request: ItemsRequest) -> [String] {
        let (node, isSilent, before) = state.withLock { state in
            state.requests.append(request.node)
            return (
                state.nodes[key(account, request.node)], state.silent.contains(request.node), state.before[request.node]
            )
        }
        let first = before?(iq) ?? []
        if isSilent { return first }
        guard let node else { return first + [Self.text(.error(for: iq, StanzaError(.itemNotFound)), account)] }
        guard node.accessModel == "open" || account.bare == owner.bare else {
            return first + [Self.text(.error(for: iq, StanzaError(.notAuthorized)), account)]
        }
        var items = node.items.filter { request.ids.isEmpty || request.ids.contains($0.id) }
        if let maximum = request.maximum { items = Array(items.suffix(maximum)) }
        let page = ItemsPage(node: request.node, items: items.map { PublishedItem(id: $0.id, payload: $0.payload) })
        return first + [Self.text(.result(for: iq, payload: page), account)]
    }

    private func publish(_ iq: IQ, _ request: PublishRequest) -> [String] {
        let wanted = request.options?["pubsub#access_model"]?.values.first
        let known = self[request.node, of: owner]
        if let known, let wanted, known.accessModel != wanted {
            let condition = XMLElement(
                XMLName("precondition-not-met", "http://jabber.org/protocol/pubsub#errors"), text: "")
            return [Self.text(.error(for: iq, StanzaError(.conflict, applicationCondition: condition)), owner)]
        }
        change(request.node, of: owner) { node in
            if known == nil {
                node.accessModel = wanted ?? "presence"
                node.maximum = request.options?["pubsub#max_items"]?.values.first ?? "1"
            }
            for item in request.items { if let payload = item.payload { node.put(item.id ?? "x", payload) } }
        }
        var notices = [Self.notice(request.node, request.items, of: owner)]
        if let other = state.withLock({ $0.overtaking.removeValue(forKey: request.node) }) {
            put(other, of: owner)
            notices.append(Self.notice(other, of: owner))
        }
        return notices + [Self.text(.result(for: iq), owner)]
    }

    private func configuration(_ iq: IQ, _ request: NodeConfigurationRequest) -> [String] {
        guard let name = request.node, let node = self[name, of: owner] else {
            return [Self.text(.error(for: iq, StanzaError(.itemNotFound)), owner)]
        }
        let form = """
            <pubsub xmlns='http://jabber.org/protocol/pubsub#owner'><configure node='\(name)'><x xmlns='jabber:x:data' \
            type='form'><field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/pubsub#node_config</value>\
            </field><field var='pubsub#access_model'><value>\(node.accessModel)</value></field>\
            <field var='pubsub#max_items'><value>\(node.maximum)</value></field></x></configure></pubsub>
            """
        return [
            Self.text(
                .result(for: iq, payload: (try? XMLElement(parsing: form)) ?? XMLElement(IQ.name, text: "")), owner)
        ]
    }

    /// An event of a node, in the name of the account that it belongs to.
    static func notice(_ list: OMEMODeviceList, of account: JID) -> String {
        notice(list.generation.devicesNode, [PublishedItem(id: "current", payload: XMLElement(list))], of: account)
    }

    static func notice(_ node: String, _ items: [PublishedItem], of account: JID) -> String {
        var message = Message(type: .headline)
        message.from = account.bare
        message.append(PublishSubscribeEvent.items(node: node, published: items, retracted: []))
        return text(message)
    }

    private static func text(_ iq: IQ, _ from: JID) -> String {
        var iq = iq
        iq.from = from.bare
        return text(iq)
    }

    static func text(_ value: some XMLEncodable) -> String {
        var writer = XMLWriter()
        writer.write(value)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

extension MemoryNodes.Node {
    fileprivate mutating func put(_ id: String, _ payload: XMLElement) {
        items.removeAll { $0.id == id }
        items.append((id, payload))
        if maximum == "1" { items = Array(items.suffix(1)) }
    }
}
