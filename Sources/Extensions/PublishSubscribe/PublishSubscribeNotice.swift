public import MessageFeatures
public import XMPPAddress

/// An event together with who vouches for it.
public struct PublishSubscribeNotice: Sendable, Equatable {
    /// The service that sent it: for personal events the account they belong to (XEP-0163 §4.3).
    ///
    /// Whatever the event says is the word of this service only.
    public var service: JID
    public var event: PublishSubscribeEvent
    /// When it happened, if it is not news, such as the last item that comes with a subscription or a contact's presence.
    public var delay: DelayedDelivery?

    public init(service: JID, event: PublishSubscribeEvent, delay: DelayedDelivery? = nil) {
        self.service = service
        self.event = event
        self.delay = delay
    }
}
