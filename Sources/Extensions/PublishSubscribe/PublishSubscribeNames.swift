internal import XMLStreaming

/// The names of XEP-0060 that more than one payload needs.
enum PublishSubscribeNames {
    static let client = "http://jabber.org/protocol/pubsub"
    static let owner = client + "#owner"
    static let event = client + "#event"
    static let errors = client + "#errors"
    static let resultSets = "http://jabber.org/protocol/rsm"

    static let request = XMLName("pubsub", client)
    static let ownerRequest = XMLName("pubsub", owner)
    static let items = XMLName("items", client)
    static let item = XMLName("item", client)
    static let configure = XMLName("configure", client)
    static let ownerConfigure = XMLName("configure", owner)
}
