extension Style {
    static let rooms = """
        .hat { background: alpha(@accent_bg_color, 0.2); border-radius: 99px; padding: 0 7px; font-size: 80%; }
        .people { background: none; padding: 0 6px 6px 6px; }
        .people > row { border-radius: 10px; padding: 0; }
        stackswitcher.narrow > button { min-width: 64px; padding-left: 8px; padding-right: 8px; }
        .invitation { padding: 10px 12px; background: alpha(@accent_bg_color, 0.15); }
        .topic-field { padding: 6px; }

        """
}
