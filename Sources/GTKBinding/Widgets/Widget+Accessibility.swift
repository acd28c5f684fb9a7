internal import CGTK

extension Widget {
    /// What a screen reader calls it. Every control without a text of its own needs one.
    @discardableResult
    public func accessible(label: String) -> Self {
        update(.label, label)
        return self
    }

    /// What a screen reader says about it beside its name.
    @discardableResult
    public func accessible(description: String) -> Self {
        update(.description, description)
        return self
    }

    /// The name for screen readers and the hint under the pointer at once.
    @discardableResult
    public func named(_ text: String) -> Self { accessible(label: text).tip(text) }

    // gtk_accessible_update_property() takes a variable number of arguments; its twin takes arrays.
    private func update(_ property: GtkAccessibleProperty, _ text: String) {
        var properties = [property]
        var value = GValue()
        g_value_init(&value, FundamentalType.string)
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(cast(), 1, &properties, &value)
        g_value_unset(&value)
    }
}
