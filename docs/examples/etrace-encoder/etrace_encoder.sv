// An encoder of instruction trace, by the algorithm of chapter 8, for a hart that retires one
// instruction in a cycle (4.2.1). It has none of the optional modes: addresses are differences.
//
// It looks at three instructions: the current one, whose packet is made, the one before it, which
// says whether the current one had to be reported, and the next one, which says whether it is the
// last one before something.
module etrace_encoder
    import etrace_pkg::*;
(
    input logic clk,
    input logic reset,
    input logic enable,  // of the encoder: nothing of the cycle in which it changes is traced
    input logic [15:0] max_resync,  // packets between synchronisations; 0: no resynchronisation

    // the interface of the hart (tables 4.1, 4.3 and 4.5)
    input itype_t itype,
    input logic [ecause_width_p-1:0] cause,
    input logic [iaddress_width_p-1:0] tval,
    input logic [privilege_width_p-1:0] priv,
    input logic [iaddress_width_p-1:0] iaddr,  // of a trap alone: where it was taken
    input logic iretire,
    input logic ilastsize,
    input logic halted,

    input fault_t fault,

    output logic packet_valid,
    output packet_t packet
);
    // --- the next entry ---

    logic was_enabled, was_halted;
    entry_t next;

    always_comb begin
        next = '{what: NOTHING, enabled: enable, itype: itype, cause: cause, tval: tval,
                 priv: priv, iaddr: iaddr, ilastsize: ilastsize};
        if (enable && !was_enabled) next.what = BEGINS;
        else if (was_enabled && (!enable || halted && !was_halted)) next.what = ENDS;
        else if (enable && !halted && iretire) next.what = RETIRES;
        else if (enable && !halted && is_trap(itype)) next.what = TRAPS;
    end

    // --- the current and the previous one ---

    entry_t current, previous, trap;
    logic has_previous;  // the instruction before the current one was traced
    logic trapped;  // there was a trap between them
    logic [iaddress_width_p-1:0] reported;  // the last address in a packet
    logic [4:0] branches;  // that wait to be reported
    logic [most_branches-1:0] branch_map;
    logic [16:0] resync;  // packets since the last synchronisation
    logic unsettled;  // the last packet has a target, without updiscon
    logic ends_at_target;  // the last packet of the trace has one

    // An instruction waits for what follows it.
    logic advance;
    assign advance = next.what != NOTHING || current.what != RETIRES;

    // The outcome of the current branch counts for the packet that is made now.
    logic [4:0] branches_now;
    logic [most_branches-1:0] branch_map_now;
    always_comb begin
        branches_now = branches + 5'(is_branch(current.itype));
        branch_map_now = branch_map | most_branches'(current.itype == NOT_TAKEN) << branches;
    end

    // --- the questions of figure 8.1 ---

    logic resyncs, discontinuity, starts, last, ends, changes, expires, doubtful, reports, full;
    always_comb begin
        resyncs = max_resync != 0;
        discontinuity = has_previous && !trapped && is_uninferable(previous.itype);
        starts = !has_previous || previous.priv != current.priv ||
                 resyncs && resync > 17'(max_resync);
        ends = next.what == ENDS;
        last = ends && fault != LAST || next.what == TRAPS && fault != BEFORE_TRAP ||
               is_trap(current.itype);
        changes = next.what == RETIRES && current.priv != next.priv;
        // With one packet more the next one is of format 3 (8.2).
        expires = next.what == RETIRES && resyncs && resync >= 17'(max_resync);
        // A decoder could take the address of the next packet for an earlier place (6.6.2).
        doubtful = unsettled || is_uninferable(current.itype) && current.priv == next.priv;
        reports = discontinuity || last ||
                  (changes || expires) && (branches_now != 0 || doubtful) && fault != RESYNC;
        full = branches_now == most_branches;
    end

    // The address packet is the last one before a packet of format 3.
    logic before_format_3, updiscon;
    always_comb begin
        before_format_3 = !ends && (last || changes || expires) || is_trap(current.itype);
        updiscon = (discontinuity || fault == UPDISCON) && before_format_3;
    end

    // --- the packet ---

    logic due;
    packet_t made;

    function automatic packet_t address_packet();
        packet_t p = '0;
        p.kind = branches_now != 0 ? DIFF_DELTA : ADDR_ONLY;
        p.branches = branches_now;
        p.branch_map = branch_map_now;
        p.address = current.iaddr - reported;
        p.updiscon = updiscon;
        return p;
    endfunction

    function automatic packet_t branches_packet();
        packet_t p = '0;
        p.kind = DIFF_DELTA;
        p.branch_map = branch_map_now;
        return p;
    endfunction

    function automatic packet_t start_packet();
        packet_t p = '0;
        p.kind = START;
        p.branch = current.itype != TAKEN;
        p.privilege = current.priv;
        p.address = current.iaddr;
        return p;
    endfunction

    // Of an illegal instruction tvalepc is its address (6.3.1), which follows an instruction that
    // retired with the trap.
    function automatic packet_t trap_packet();
        packet_t p = start_packet();
        p.kind = TRAP;
        p.ecause = trap.cause;
        p.interrupt = trap.itype == INTERRUPT;
        p.tvalepc = trap.tval;
        if (!p.interrupt && trap.cause == 2) begin
            p.tvalepc = trap.iaddr;
            if (trap.what == RETIRES) p.tvalepc += trap.ilastsize ? 4 : 2;
        end
        if (fault == PRIVILEGE) p.privilege = trap.priv;
        return p;
    endfunction

    function automatic packet_t support_packet();
        packet_t p = '0;
        p.kind = SUPPORT;
        p.enable = current.enabled;
        if (current.what == ENDS && has_previous)
            p.qual_status = ends_at_target ? ENDED_UPD : ENDED_REP;
        return p;
    endfunction

    always_comb begin
        due = 1;
        made = support_packet();
        unique case (current.what)
            BEGINS: ;
            ENDS: due = has_previous || !current.enabled;
            RETIRES:
                if (trapped) made = trap_packet();
                else if (starts) made = start_packet();
                else if (reports) made = address_packet();
                else if (full) made = branches_packet();
                else due = 0;
            default: due = 0;
        endcase
    end

    // --- from cycle to cycle ---

    always_ff @(posedge clk) begin
        was_enabled <= enable;
        was_halted <= halted;
        packet_valid <= advance && due;
        packet <= made;
        if (advance) begin
            current <= next;
            unique case (current.what)
                RETIRES: begin
                    previous <= current;
                    has_previous <= 1;
                    trap <= current;
                    trapped <= is_trap(current.itype);
                    ends_at_target <= discontinuity && !updiscon;
                    branches <= branches_now;
                    branch_map <= branch_map_now;
                    if (fault == RESYNC && expires && branches_now != 0) resync <= resync + 1;
                end
                TRAPS: begin
                    trap <= current;
                    trapped <= trapped || has_previous;
                end
                ENDS: begin
                    has_previous <= 0;
                    trapped <= 0;
                    branches <= 0;
                    branch_map <= 0;
                end
                default: ;
            endcase
            if (due && made.kind != SUPPORT) begin
                branches <= 0;
                branch_map <= 0;
                resync <= made.kind inside {START, TRAP} ? 0 : resync + 1;
                unsettled <= made.kind inside {ADDR_ONLY, DIFF_DELTA} && reports &&
                             discontinuity && !before_format_3;
                if (made.kind inside {START, TRAP} || reports) reported <= current.iaddr;
                if (fault == BRANCH_TWICE && reports && is_branch(current.itype)) begin
                    branches <= 1;
                    branch_map <= most_branches'(current.itype == NOT_TAKEN);
                end
            end
        end
        if (reset) begin
            {was_enabled, was_halted, has_previous, trapped, packet_valid} <= '0;
            {branches, branch_map, resync, unsettled, reported} <= '0;
            current <= '0;
        end
    end
endmodule
