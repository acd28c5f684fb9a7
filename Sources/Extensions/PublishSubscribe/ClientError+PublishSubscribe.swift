public import XMPPClient

extension ClientError {
    /// The condition that XEP-0060 §11 defines for the failure, such as `precondition-not-met` or `closed-node`.
    public var publishSubscribeCondition: String? {
        guard let condition = stanzaError?.applicationCondition,
            condition.namespace == PublishSubscribeNames.errors
        else { return nil }
        return condition.localName
    }

    /// The node, or the item of it, does not exist.
    public var isItemNotFound: Bool { stanzaError?.condition == .itemNotFound }

    /// The node is configured otherwise, or the service does not know one of the preconditions: ejabberd 23.01 refuses
    /// `max_items` with `resource-constraint`, others refuse what they do not know with `bad-request`.
    var isAboutPreconditions: Bool {
        if publishSubscribeCondition == "precondition-not-met" { return true }
        switch stanzaError?.condition {
        case .resourceConstraint?, .badRequest?, .notAcceptable?, .conflict?: return true
        default: return false
        }
    }
}
