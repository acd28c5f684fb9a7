internal import GTKBinding

/// The program's CSS on top of libadwaita. All colours are named colours of the theme, so that dark and high-contrast
/// styles work. Small texts have two sizes, that of libadwaita's captions and one between it and the usual one.
enum Style {
    /// Adds the rules for all windows.
    static func use() {
        StyleSheet.add(rules)
        StyleSheet.addForLargeText(large)
    }

    static let rules = contrast + marks + conversations + contacts + timeline + composer + rooms + sharedMedia

    /// With large text, two buttons and a title need more than the width of a narrow window, and the title of an empty field more than
    /// that of its row. libadwaita shows both in one line. The title of a field has nearly this size when it is above a text.
    private static let large = """
        headerbar button.text-button { padding-left: 9px; padding-right: 9px; }
        headerbar windowtitle .title { font-size: 80%; padding-left: 2px; padding-right: 2px; }
        row.entry .title.dim-label { font-size: 75%; }

        """

    /// Text needs a contrast of 4.5:1 (WCAG 2.1 §1.4.3). The opacity of libadwaita's secondary texts gives 3.2:1, and white on
    /// its accent colour 3.7:1.
    private static let contrast = """
        @define-color readable_accent_color mix(@accent_bg_color, black, 0.2);
        .dim-label, row label.subtitle, windowtitle .subtitle, text > placeholder { opacity: 0.72; }
        row.entry.error .subtitle, row.entry.error .dim-label { opacity: 1; }
        button.suggested-action { background-color: @readable_accent_color; }
        row:disabled .suffixes > image { opacity: 0.5; }

        """

    /// Marks need a contrast of 3:1 (WCAG 2.1 §1.4.11). libadwaita's outlines of choices have 1.3:1, a switch that is off has 1.5:1, and
    /// what has the focus 2:1.
    private static let marks = """
        :focus-visible { outline-color: @accent_color; }
        stackswitcher > button:checked:focus-visible { outline-color: @window_fg_color; }
        switch:not(:checked) { box-shadow: inset 0 0 0 1px alpha(currentColor, 0.6); }
        check:not(:checked):not(:indeterminate), radio:not(:checked):not(:indeterminate) {
            box-shadow: inset 0 0 0 2px alpha(currentColor, 0.6); }

        """

    private static let conversations = """
        .sidebar { background: @window_bg_color; }
        .sidebar listview { background: none; padding: 0 6px 6px 6px; }
        .sidebar listview > row { border-radius: 10px; padding: 0; margin: 1px 0; }
        .conversation-name { padding: 0 8px; margin: 0; min-height: 0; font-weight: normal; }
        .conversation-name .subtitle { opacity: 0.8; padding: 0; }
        .conversation-title { font-weight: 700; }
        .conversation-preview { font-size: 92%; }
        .badge { background: @readable_accent_color; color: @accent_fg_color; border-radius: 99px; padding: 0 7px;
            font-size: 82%; font-weight: 700; min-height: 18px; min-width: 6px; font-feature-settings: "tnum"; }
        .badge.muted { background: alpha(currentColor, 0.25); color: inherit; }
        .account { background: alpha(currentColor, 0.08); border-radius: 99px; padding: 0 6px; }
        .draft { color: @error_color; }
        .writing { color: @accent_color; }
        .search-heading { padding: 10px 10px 2px 10px; }
        .search-more { color: @accent_color; padding: 10px; }
        .stranger .hint { opacity: 0.8; }
        .archive-row { padding: 6px 10px; font-weight: normal; }
        .room > avatar, .room > avatar > picture, .room > avatar > image { border-radius: 28%; }
        .own-presence > button { padding: 2px 4px; min-height: 28px; }
        .own-presence .presence-dot.own { min-width: 10px; min-height: 10px; border: 2px solid @window_bg_color; }
        .own-presence .presence-dot.own.offline { background: @window_bg_color; }
        .notice { padding: 6px 12px; background: alpha(@warning_bg_color, 0.35); }

        """

    // What is around the focus is `:focus-visible` as well: one ring needs `:focus:focus-visible`.
    private static let timeline = """
        .timeline { background: @view_bg_color; }
        .timeline listview { background: none; padding: 6px 0 10px 0; }
        .timeline listview > row { padding: 0; background: none; outline: none; }
        .message:focus { outline: none; }
        .bubble label:focus:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; border-radius: 4px; }
        .message:focus:focus-visible .bubble { outline: 2px solid @accent_color; outline-offset: 2px; }
        .message.selected { background: alpha(@accent_bg_color, 0.18); border-radius: 12px;
            box-shadow: 0 0 0 4px alpha(@accent_bg_color, 0.18); }
        .hover-tools { background: mix(@view_bg_color, @view_fg_color, 0.06); border-radius: 99px; padding: 1px;
            box-shadow: 0 0 0 1px alpha(currentColor, 0.15), 0 1px 3px alpha(black, 0.2); }
        .hover-tools button { min-width: 26px; min-height: 26px; padding: 0; }
        .bubble { border-radius: 16px; padding: 6px 12px 6px 12px; }
        .bubble.outgoing { background: @readable_accent_color; color: @accent_fg_color; }
        .bubble.incoming { background: mix(@view_bg_color, @view_fg_color, 0.09); }
        .bubble.outgoing.last:dir(ltr), .bubble.incoming.last:dir(rtl) { border-bottom-right-radius: 4px; }
        .bubble.incoming.last:dir(ltr), .bubble.outgoing.last:dir(rtl) { border-bottom-left-radius: 4px; }
        .bubble link, .bubble link:visited { color: mix(@accent_color, @view_fg_color, 0.35); }
        .bubble.outgoing link, .bubble.outgoing link:visited { color: inherit; text-decoration: underline; }
        .bubble.bare { background: none; color: inherit; padding: 2px 0; }
        .bubble.bare, .bubble.bare.last:dir(ltr), .bubble.bare.last:dir(rtl) { border-radius: 0; }
        .bubble.media { padding: 0; }
        .bubble.media .said { padding: 2px 12px 6px 12px; }
        .bubble.media .sender { padding: 5px 12px 0 12px; }
        .bubble.media .answered { margin: 6px 8px 2px 8px; }
        .bubble.media .photo { border-radius: 0; }
        .bubble.failed { background: mix(@view_bg_color, @error_bg_color, 0.25); color: @view_fg_color; }
        .bubble.mention { box-shadow: inset 3px 0 0 0 @accent_color; background: mix(@view_bg_color, @accent_bg_color, 0.18); }
        .bubble.mention:dir(rtl) { box-shadow: inset -3px 0 0 0 @accent_color; }
        .bubble.flash { box-shadow: 0 0 0 3px alpha(@accent_color, 0.6); }
        .footer { font-size: 82%; font-feature-settings: "tnum"; }
        .incoming .footer, .bare .footer, .failed .footer { opacity: 0.8; }
        .footer.on-picture { opacity: 1; }
        .on-picture { background: alpha(black, 0.6); color: white; border-radius: 99px; padding: 1px 8px; margin: 6px; }
        .photo.video { background: alpha(black, 0.85); }
        .video-play { min-width: 44px; min-height: 44px; padding: 0; background: alpha(black, 0.55); color: white; }
        .video-open { min-width: 28px; min-height: 28px; padding: 0; margin: 6px; background: alpha(black, 0.55); color: white; }
        .sender { font-size: 82%; font-weight: 700; }
        .taken-back { font-style: italic; opacity: 0.85; }
        .action { font-style: italic; }
        .emoji-1 { font-size: 340%; }
        .emoji-3 { font-size: 240%; }
        .emoji-6 { font-size: 160%; }
        .code { font-family: monospace; font-size: 92%; background: alpha(currentColor, 0.1); border-radius: 8px;
            padding: 6px 8px; }
        .quoted { opacity: 0.9; }
        .quoted:dir(ltr) { border-left: 3px solid alpha(currentColor, 0.4); padding-left: 8px; }
        .quoted:dir(rtl) { border-right: 3px solid alpha(currentColor, 0.4); padding-right: 8px; }
        .show-all { padding: 0 4px; min-height: 0; color: inherit; }
        .show-all label { text-decoration: underline; }
        .answered { border-radius: 6px; padding: 3px 8px; min-height: 0;
            background: alpha(currentColor, 0.1); font-weight: normal; color: inherit; }
        .answered:dir(ltr) { border-left: 3px solid alpha(currentColor, 0.6); }
        .answered:dir(rtl) { border-right: 3px solid alpha(currentColor, 0.6); }
        .link-title { font-weight: 700; }
        .answered .name { font-size: 82%; font-weight: 700; }
        .answered .words { font-size: 92%; }
        .reaction { border-radius: 99px; padding: 1px 8px; min-height: 0; min-width: 0; font-size: 92%; font-weight: normal; }
        .reaction.own { background: alpha(@accent_bg_color, 0.3); box-shadow: inset 0 0 0 1px @accent_bg_color; }
        .day { font-size: 82%; font-weight: 700; opacity: 0.75; padding: 8px 12px 4px 12px; }
        .key-notice { font-size: 82%; padding: 4px 12px; }
        .unread-line { color: @accent_color; font-size: 82%; font-weight: 700; padding: 6px 12px; }
        .unread-line separator { background: alpha(@accent_color, 0.5); min-height: 1px; }
        .photo { border-radius: 12px; background: alpha(currentColor, 0.08); }
        .shade { background: alpha(black, 0.45); color: white; border-radius: 99px; padding: 6px; }
        .play { min-width: 34px; min-height: 34px; padding: 0; background: alpha(currentColor, 0.15); color: inherit; }
        .sound-name { font-size: 92%; font-weight: 700; }
        .rate { min-height: 0; min-width: 0; padding: 1px 7px; font-size: 82%; border-radius: 99px;
            background: alpha(currentColor, 0.15); color: inherit; font-feature-settings: "tnum"; }
        .newest { background: mix(@view_bg_color, @view_fg_color, 0.12); margin: 12px; min-width: 40px; min-height: 40px; box-shadow: 0 1px 4px alpha(black, 0.3); }
        .newest-count { margin-top: 2px; box-shadow: 0 0 0 2px @view_bg_color; background: @readable_accent_color; }
        .failure { color: @error_color; font-size: 82%; }
        .quick-reaction { font-size: 125%; padding: 4px; min-width: 32px; min-height: 32px; }
        calendar > grid > label.day-number:checked { font-weight: 700; border-radius: 99px;
            background: alpha(@accent_bg_color, 0.2); box-shadow: inset 0 0 0 1px alpha(@accent_bg_color, 0.6); }
        menuitem.destructive, modelbutton.destructive { color: @error_color; }

        """
}

extension Style {
    static let composer = """
        .composer { background: @view_bg_color; }
        .entry-box { background: mix(@view_bg_color, @view_fg_color, 0.06); border-radius: 18px; min-height: 38px; }
        .entry-box:dir(ltr) { padding: 0 4px 0 8px; }
        .entry-box:dir(rtl) { padding: 0 8px 0 4px; }
        .entry-box textview, .entry-box textview text { background: none; }
        .entry-box button.flat { min-width: 32px; min-height: 32px; padding: 0; margin: 3px 0; }
        .entry-box.recording:dir(ltr), .entry-box.recording:dir(rtl) { padding: 0 8px; }
        .composer button.circular { min-width: 34px; min-height: 34px; padding: 0; }
        .composer-banner:dir(ltr) { border-left: 3px solid @accent_color; padding-left: 8px; }
        .composer-banner:dir(rtl) { border-right: 3px solid @accent_color; padding-right: 8px; }
        .composer-banner button { min-width: 28px; min-height: 28px; padding: 0; }
        .pill-small { border-radius: 99px; padding: 2px 10px; min-height: 0; font-weight: normal; }
        .drop-here { background: alpha(@accent_bg_color, 0.15); box-shadow: inset 0 0 0 2px @accent_bg_color;
            border-radius: 12px; }
        toast { border-radius: 24px; }
        .over-composer > toast { margin-bottom: 68px; }
        .over-button > toast { margin-bottom: 60px; }

        """
}

extension Style {
    /// The dot shows the state by shape as well as by colour.
    static let contacts = """
        .contact-heading { font-size: 82%; font-weight: 700; padding: 10px 8px 2px 8px; }
        .contact-more { opacity: 0.55; }
        row:hover .contact-more, .contact-more:focus, .contact-more:hover { opacity: 1; }
        .presence-dot { min-width: 9px; min-height: 9px; border-radius: 99px; border: 2px solid @window_bg_color;
            background: @window_bg_color; }
        .presence-dot.large { min-width: 18px; min-height: 18px; border-width: 4px; }
        .presence-dot.own { min-width: 14px; min-height: 14px; border: none; background: none; }
        .presence-dot.online { background: @success_color; }
        .presence-dot.away { background: linear-gradient(90deg, @warning_color 50%, @window_bg_color 50%);
            box-shadow: inset 0 0 0 2px @warning_color; }
        .presence-dot.busy { background: linear-gradient(0deg, @error_color 40%, @window_bg_color 40%,
            @window_bg_color 60%, @error_color 60%); box-shadow: inset 0 0 0 2px @error_color; }
        .presence-dot.offline { box-shadow: inset 0 0 0 2px alpha(@window_fg_color, 0.65); }
        .contact-card { padding: 12px; }
        .request-bar { padding: 8px; background: alpha(@accent_bg_color, 0.16);
            border-top: 1px solid alpha(@accent_color, 0.35); }

        """
}

extension Style {
    static let rooms = """
        .hat { background: alpha(@accent_bg_color, 0.2); border-radius: 99px; padding: 0 7px; font-size: 82%; }
        .people { background: none; padding: 0 6px 6px 6px; }
        .people > row { border-radius: 10px; padding: 0; }
        stackswitcher.narrow > button { min-width: 64px; padding-left: 8px; padding-right: 8px; }
        .invitation { padding: 10px 12px; background: alpha(@accent_bg_color, 0.15); }
        .topic-field { padding: 6px; }

        """
}

extension Style {
    static let sharedMedia = """
        .tiles { background: none; padding: 6px; }
        .tiles > child { padding: 3px; border-radius: 12px; background: none; }
        .tiles > child:hover .photo { opacity: 0.85; }
        .tiles > child:focus:focus-visible { outline: 2px solid @accent_color; outline-offset: -2px; }
        .shared-picture { padding: 0; border-radius: 12px; }
        .shared-picture:hover .photo { opacity: 0.85; }
        .shared-file > button:dir(ltr) { padding-left: 0; padding-right: 6px; }
        .shared-file > button:dir(rtl) { padding-left: 6px; padding-right: 0; }
        .shared-files { background: none; padding: 6px; }
        .shared-files > row { border-radius: 12px; padding: 0; margin: 1px 0; }

        """
}
