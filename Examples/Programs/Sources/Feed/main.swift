// Feed read SERVICE NODE, Feed write SERVICE NODE TEXT: both ends of a feed (XEP-0060) with a payload of its own.
import Hongyan

struct Headline: XMLPayload {
    static let name = XMLName("headline", "urn:example:feed")
    var text: String

    init(_ text: String) { self.text = text }

    init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        text = element.text
    }

    func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
}

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { PublishSubscribe($0) }
    return configuration
} run: { session in
    let words = CommandLine.arguments
    guard let feeds = session[PublishSubscribe.self], words.count >= 4 else { return }
    let (service, node) = (try JID(words[2]), words[3])
    if words[1] == "write" {
        print(try await feeds.publish(Headline(words[4]), in: node, at: service, configuration: .publicData) ?? "")
        return
    }
    let notices = feeds.notices()
    try await session.send(Presence())
    _ = try await feeds.subscribe(to: node, at: service)
    print("subscribed")
    for await notice in notices where notice.service == service {
        guard case .items(node, let items, _) = notice.event else { continue }
        for item in items { if let headline = try? item.decode(Headline.self) { print(headline.text) } }
    }
}
