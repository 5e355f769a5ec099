// The parameters of the encoder (chapter 9), and the types of what it takes (chapter 4) and sends
// (chapter 6). Names and codes are those of RISC-V Processor Trace 1.1.1.
package etrace_pkg;

    parameter int unsigned iaddress_width_p = 64;
    parameter int unsigned iaddress_lsb_p = 1;
    parameter int unsigned privilege_width_p = 2;
    parameter int unsigned ecause_width_p = 5;
    parameter int unsigned encoder_mode_n = 1;  // bits of a support packet
    parameter int unsigned ioptions_n = 6;  // likewise; this encoder has none of the options

    parameter logic [4:0] most_branches = 31;  // of a branch map
    parameter int unsigned payload_bytes = 18;  // of the longest packet: an exception

    // Table 4.1
    typedef enum logic [3:0] {
        PLAIN, EXCEPTION, INTERRUPT, XRET, NOT_TAKEN, TAKEN, UNINFERABLE, RESERVED,
        CALL, INFERABLE_CALL, TAIL_CALL, INFERABLE_TAIL_CALL, SWAP, RETURN, JUMP, INFERABLE_JUMP
    } itype_t;

    // What came on the interface in a cycle, or happened to the encoder.
    typedef enum logic [2:0] {
        NOTHING,
        BEGINS,  // the encoder was enabled
        RETIRES,  // an instruction, with or without a trap after it
        TRAPS,  // a trap alone
        ENDS  // the hart was halted, or the encoder disabled
    } what_t;

    typedef struct packed {
        what_t what;
        logic enabled;
        itype_t itype;
        logic [ecause_width_p-1:0] cause;
        logic [iaddress_width_p-1:0] tval;
        logic [privilege_width_p-1:0] priv;
        logic [iaddress_width_p-1:0] iaddr;
        logic ilastsize;
    } entry_t;

    typedef enum logic [2:0] {DIFF_DELTA, ADDR_ONLY, START, TRAP, SUPPORT} kind_t;
    typedef enum logic [1:0] {NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_UPD} qual_status_t;

    // The fields of a packet (tables 6.1, 6.2 and 6.4 to 6.7); which of them count says the kind.
    typedef struct packed {
        kind_t kind;
        logic [4:0] branches;  // 0: a full map without address
        logic [most_branches-1:0] branch_map;
        logic [iaddress_width_p-1:0] address;  // full, or a difference
        logic updiscon;
        logic branch;
        logic [privilege_width_p-1:0] privilege;
        logic [ecause_width_p-1:0] ecause;
        logic interrupt;
        logic [iaddress_width_p-1:0] tvalepc;
        logic enable;
        qual_status_t qual_status;
    } packet_t;

    // Faults that can be planted, to see what a check says of them. A design has none of this.
    typedef enum logic [3:0] {
        NONE,
        ZERO_EXTENSION,  // bytes of zeros are left out where the sign bit would be 1
        BRANCH_TWICE,  // a branch that is reported by its address is counted again
        BEFORE_TRAP,  // the last instruction before a trap is not reported
        UPDISCON,  // updiscon is flagged before each packet of format 3
        RESYNC,  // branches that wait are forgotten before a synchronisation packet
        PRIVILEGE,  // a trap has the privilege level that it was taken from
        LAST  // the last instruction before the end of tracing is not reported
    } fault_t;

    function automatic logic is_branch(itype_t itype);
        return itype inside {TAKEN, NOT_TAKEN};
    endfunction

    function automatic logic is_trap(itype_t itype);
        return itype inside {EXCEPTION, INTERRUPT};
    endfunction

    // The program does not say where it goes: an uninferable PC discontinuity (3.1.2).
    function automatic logic is_uninferable(itype_t itype);
        return itype inside {XRET, UNINFERABLE, CALL, TAIL_CALL, SWAP, RETURN, JUMP};
    endfunction

endpackage
