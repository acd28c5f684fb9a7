/// What the program looks like beside libadwaita's own style. Colours are only those that the theme names, so dark and high
/// contrast hold everywhere.
enum Style {
    static let rules = conversations + contacts + timeline + composer + rooms + sharedMedia

    private static let conversations = """
        .sidebar { background: @window_bg_color; }
        .sidebar listview { background: none; padding: 0 6px 6px 6px; }
        .sidebar listview > row { border-radius: 10px; padding: 0; margin: 1px 0; }
        .conversation-name { padding: 0 8px; margin: 0; min-height: 0; font-weight: normal; }
        .conversation-title { font-weight: 600; }
        .conversation-preview { font-size: 92%; }
        .badge { background: @accent_bg_color; color: @accent_fg_color; border-radius: 99px; padding: 0 7px;
            font-size: 80%; font-weight: 700; min-height: 18px; min-width: 6px; font-feature-settings: "tnum"; }
        .badge.muted { background: alpha(currentColor, 0.25); color: inherit; }
        .account { background: alpha(currentColor, 0.08); border-radius: 99px; padding: 0 6px; }
        .draft { color: @error_color; }
        .writing { color: @accent_color; }
        .search-heading { padding: 10px 10px 2px 10px; }
        .search-more { color: @accent_color; padding: 10px; }
        .notice { padding: 6px 12px; background: alpha(@warning_bg_color, 0.35); }

        """

    private static let timeline = """
        .timeline { background: @view_bg_color; }
        .timeline listview { background: none; padding: 6px 0 10px 0; }
        .timeline listview > row { padding: 0; background: none; }
        .timeline listview > row:focus-visible .bubble { outline: 2px solid @accent_color; outline-offset: 2px; }
        .bubble { border-radius: 16px; padding: 7px 12px 5px 12px; }
        .bubble.outgoing { background: @accent_bg_color; color: @accent_fg_color; }
        .bubble.incoming { background: mix(@view_bg_color, @view_fg_color, 0.09); }
        .bubble.outgoing.last { border-bottom-right-radius: 4px; }
        .bubble.incoming.last { border-bottom-left-radius: 4px; }
        .bubble.outgoing link, .bubble.outgoing link:visited { color: inherit; text-decoration: underline; }
        .bubble.bare { background: none; color: inherit; padding: 2px 0; }
        .bubble.media { padding: 4px 4px 5px 4px; }
        .bubble.media .footer, .bubble.media .text, .bubble.media .sender { padding: 0 8px; }
        .bubble.failed { background: alpha(@error_bg_color, 0.25); color: inherit; }
        .bubble.flash { box-shadow: 0 0 0 3px alpha(@accent_color, 0.6); }
        .footer { font-size: 75%; opacity: 0.75; font-feature-settings: "tnum"; }
        .bubble.bare .footer { opacity: 0.6; }
        .sender { font-size: 88%; font-weight: 700; }
        .taken-back { font-style: italic; opacity: 0.75; }
        .action { font-style: italic; }
        .emoji-1 { font-size: 340%; }
        .emoji-3 { font-size: 240%; }
        .emoji-6 { font-size: 160%; }
        .code { font-family: monospace; font-size: 92%; background: alpha(currentColor, 0.1); border-radius: 8px;
            padding: 6px 8px; }
        .quoted { border-left: 3px solid alpha(currentColor, 0.4); padding-left: 8px; opacity: 0.85; }
        .show-all { padding: 0 4px; min-height: 0; color: inherit; }
        .show-all label { text-decoration: underline; }
        .answered { border-left: 3px solid alpha(currentColor, 0.6); border-radius: 6px; padding: 3px 8px; min-height: 0;
            background: alpha(currentColor, 0.1); font-weight: normal; color: inherit; }
        .answered .name { font-size: 85%; font-weight: 700; }
        .answered .words { font-size: 90%; }
        .reaction { border-radius: 99px; padding: 1px 8px; min-height: 0; min-width: 0; font-size: 90%; font-weight: normal; }
        .reaction.own { background: alpha(@accent_bg_color, 0.3); box-shadow: inset 0 0 0 1px @accent_bg_color; }
        .day { font-size: 85%; font-weight: 600; opacity: 0.6; padding: 8px 12px 4px 12px; }
        .unread-line { color: @accent_color; font-size: 85%; font-weight: 700; padding: 6px 12px; }
        .unread-line separator { background: alpha(@accent_color, 0.5); min-height: 1px; }
        .photo { border-radius: 12px; background: alpha(currentColor, 0.08); }
        .shade { background: alpha(black, 0.45); color: white; border-radius: 99px; padding: 6px; }
        .play { min-width: 34px; min-height: 34px; padding: 0; background: alpha(currentColor, 0.15); color: inherit; }
        .rate { min-height: 0; min-width: 0; padding: 1px 7px; font-size: 80%; border-radius: 99px;
            background: alpha(currentColor, 0.15); color: inherit; font-feature-settings: "tnum"; }
        .newest { background: mix(@view_bg_color, @view_fg_color, 0.12); margin: 12px; min-width: 40px; min-height: 40px; box-shadow: 0 1px 4px alpha(black, 0.3); }
        .failure { color: @error_color; font-size: 85%; }
        .quick-reaction { font-size: 125%; padding: 4px; min-width: 32px; min-height: 32px; }

        """
}
