extension Style {
    static let composer = """
        .composer { background: @view_bg_color; }
        .entry-box { background: mix(@view_bg_color, @view_fg_color, 0.06); border-radius: 18px; padding: 0 4px 0 8px;
            min-height: 38px; }
        .entry-box textview, .entry-box textview text { background: none; }
        .entry-box button.flat { min-width: 32px; min-height: 32px; padding: 0; margin: 3px 0; }
        .entry-box.recording { padding: 0 8px; }
        .composer button.circular { min-width: 34px; min-height: 34px; padding: 0; }
        .composer-banner { border-left: 3px solid @accent_color; padding-left: 8px; }
        .composer-banner button { min-width: 28px; min-height: 28px; padding: 0; }
        .pill-small { border-radius: 99px; padding: 2px 10px; min-height: 0; font-weight: normal; }
        .drop-here { background: alpha(@accent_bg_color, 0.15); box-shadow: inset 0 0 0 2px @accent_bg_color;
            border-radius: 12px; }
        .over-composer > toast { margin-bottom: 68px; }

        """
}
