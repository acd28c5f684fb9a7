internal import CGTK

/// A picture of any size, scaled into its place.
public final class PictureWidget: Widget {
    public init() {
        super.init(adopting: UnsafeMutableRawPointer(gtk_picture_new()))
        gtk_picture_set_can_shrink(cast(), 1)
    }

    public func show(_ texture: Texture?) { gtk_picture_set_paintable(cast(), texture?.cast()) }

    /// Fills its place, and what reaches over it is cut; else all of the picture is seen.
    @discardableResult
    public func covers(_ covers: Bool = true) -> Self {
        gtk_picture_set_content_fit(cast(), covers ? .cover : .contain)
        return self
    }

    public func show(alternative: String) { gtk_picture_set_alternative_text(cast(), alternative) }
}

/// A small picture of the icon theme.
public final class Icon: Widget {
    public init(_ name: String? = nil, size: Int? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_image_new_from_icon_name(name)))
        if let size { gtk_image_set_pixel_size(cast(), gint(clamping: size)) }
    }

    public func show(_ name: String?) { gtk_image_set_from_icon_name(cast(), name) }
    public func show(_ texture: Texture?) { gtk_image_set_from_paintable(cast(), texture?.cast()) }
}

/// The round picture of a person, or its initials on a colour of its own.
public final class AvatarView: Widget {
    public init(size: Int) { super.init(adopting: UnsafeMutableRawPointer(adw_avatar_new(gint(size), nil, 1))) }

    /// The hues of libadwaita's palette for avatars.
    private static let colourCount = 11

    /// - Parameters:
    ///   - name: the initials are made of this.
    ///   - identity: the colour is made of this (XEP-0392 §5.1).
    public func show(name: String, colourOf identity: String) {
        adw_avatar_set_text(cast(), name)
        guard let inside = gtk_widget_get_first_child(widget) else { return }
        for number in 1...14 { gtk_widget_remove_css_class(inside, "color\(number)") }
        gtk_widget_add_css_class(inside, "color\(1 + Self.hue(of: identity) * Self.colourCount / 65_536)")
    }

    /// The hue angle of an identity; 65,536 is a full turn.
    private static func hue(of identity: String) -> Int {
        let digest: UnsafeMutablePointer<CChar>? = g_compute_checksum_for_string(.sha1, identity, -1)
        defer { g_free(digest) }
        guard let digest else { return 0 }
        let number = Int(String(cString: digest).prefix(4), radix: 16) ?? 0
        // The two bytes are in little-endian order.
        return (number & 0xFF) << 8 | number >> 8
    }
    public func show(_ texture: Texture?) { adw_avatar_set_custom_image(cast(), texture?.cast()) }
    /// The icon to show instead of initials.
    public func show(icon: String?) { adw_avatar_set_icon_name(cast(), icon) }
}
