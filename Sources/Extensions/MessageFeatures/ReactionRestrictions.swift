public import DataForms

/// Which reactions somebody accepts, as service discovery tells it (XEP-0444 Message Reactions §2.2).
public struct ReactionRestrictions: Sendable, Hashable {
    /// The `FORM_TYPE` of the form.
    public static let formType = MessageReactions.name.namespace + ":restrictions"

    /// How many different reactions one person may give to one message; `nil` for any number.
    public var maximumPerUser: Int?
    /// The only reactions that are accepted; `nil` for all.
    public var allowed: [String]?

    public init(maximumPerUser: Int? = nil, allowed: [String]? = nil) {
        self.maximumPerUser = maximumPerUser
        self.allowed = allowed
    }

    /// The restrictions in one of the forms of a service discovery answer; `nil` for a form that is about something else.
    public init?(_ form: DataForm) {
        guard form.formType == Self.formType else { return nil }
        maximumPerUser = form["max_reactions_per_user"]?.values.first.flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        allowed = form["allowlist"]?.values
    }

    /// Whether the reactions would be accepted; others are answered by an error, and the old ones stay.
    public func accepts(_ reactions: [String]) -> Bool {
        if let maximumPerUser, reactions.count > maximumPerUser { return false }
        guard let allowed else { return true }
        return reactions.allSatisfy(allowed.contains)
    }
}
