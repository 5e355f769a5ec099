// The payload of a packet (chapter 6): its fields from bit 0 on, extended by its last bit, without
// the bytes at the end that are such an extension.
module etrace_payload
    import etrace_pkg::*;
(
    input packet_t packet,
    input fault_t fault,
    output logic [8*payload_bytes-1:0] payload,
    output logic [4:0] length  // in bytes
);
    localparam int unsigned bits = 8 * payload_bytes;
    localparam int unsigned address_bits = iaddress_width_p - iaddress_lsb_p;

    // The size of a map of so many branches (table 6.6).
    function automatic int unsigned map_bits(logic [4:0] branches);
        if (branches == 0 || branches > 15) return 31;
        if (branches > 7) return 15;
        if (branches > 3) return 7;
        if (branches > 1) return 3;
        return 1;
    endfunction

    logic [bits-1:0] fields;
    int unsigned used;

    function automatic void put(logic [63:0] value, int unsigned width);
        fields |= (bits'(value) & ((bits'(1) << width) - 1)) << used;
        used += width;
    endfunction

    function automatic void put_address();
        put(64'(packet.address >> iaddress_lsb_p), address_bits);
    endfunction

    // After the address come notify, which this encoder never flags, updiscon and irreport. Each is
    // flagged by being another bit than the one before it (6.6.1, 6.6.2).
    function automatic void put_difference();
        logic notify, updiscon;
        notify = packet.address[iaddress_width_p-1];
        updiscon = notify ^ packet.updiscon;
        put_address();
        put(64'(notify), 1);
        put(64'(updiscon), 1);
        put(64'(updiscon), 1);  // irreport
    endfunction

    function automatic void put_format_3(logic [1:0] subformat);
        put(3, 2);
        put(64'(subformat), 2);
    endfunction

    function automatic void put_where();
        put(64'(packet.branch), 1);
        put(64'(packet.privilege), privilege_width_p);
    endfunction

    always_comb begin
        fields = '0;
        used = 0;
        unique case (packet.kind)
            DIFF_DELTA: begin
                put(1, 2);
                put(64'(packet.branches), 5);
                put(64'(packet.branch_map), map_bits(packet.branches));
                if (packet.branches != 0) put_difference();
            end
            ADDR_ONLY: begin
                put(2, 2);
                put_difference();
            end
            START: begin
                put_format_3(0);
                put_where();
                put_address();
            end
            TRAP: begin
                put_format_3(1);
                put_where();
                put(64'(packet.ecause), ecause_width_p);
                put(64'(packet.interrupt), 1);
                put_address();
                put(64'(packet.tvalepc), iaddress_width_p);
            end
            SUPPORT: begin
                put_format_3(3);
                put(64'(packet.enable), 1);
                put(0, encoder_mode_n);
                put(64'(packet.qual_status), 2);
                put(0, ioptions_n);
            end
            default: ;
        endcase
    end

    logic sign;
    always_comb begin
        sign = fields[used-1];
        payload = sign ? fields | ~((bits'(1) << used) - 1) : fields;
        length = 5'(payload_bytes);
        for (int n = payload_bytes - 1; n > 0; n--) begin
            // The byte repeats the bit before it, so a decoder knows it.
            if (32'(length) == n + 1 && (payload[8*n+:8] == {8{payload[8*n-1]}} ||
                                         fault == ZERO_EXTENSION && payload[8*n+:8] == 0))
                length = 5'(n);
        end
    end
endmodule
