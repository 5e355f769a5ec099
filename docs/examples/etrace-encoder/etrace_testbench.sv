// Drives the encoder by a record of the interface (docs/formats/etrace.md), a line in a cycle, and
// writes its packets to a file, each after a byte with its length and type.
//
//     simulation +record=run.csv +packets=run.bin +manifest=run.assay.yaml +image=run.elf
//
//     +config=FILE   where the parameters are written, too: assay_judge takes them from there, and judges
//                    each packet in the simulation (docs/examples/dpi)
//     +max_resync=N  packets between synchronisations; the default is 100, 0: none
//     +fault=NAME    a planted fault (fault_t)
module etrace_testbench
    import etrace_pkg::*;
;
    logic clk = 0, reset = 1, enable = 0;
    logic [15:0] max_resync = 100;
    fault_t fault = NONE;

    itype_t itype = PLAIN;
    logic [ecause_width_p-1:0] cause = 0;
    logic [iaddress_width_p-1:0] tval = 0, iaddr = 0;
    logic [privilege_width_p-1:0] priv = 0;
    logic iretire = 0, ilastsize = 0, halted = 0;

    logic packet_valid;
    packet_t packet;
    logic [8*payload_bytes-1:0] payload;
    logic [4:0] length;

    etrace_encoder encoder (.*);
    etrace_payload pack (.*);
`ifdef ASSAY_JUDGE
    assay_judge #(payload_bytes) judge (.clk, .valid(packet_valid && !reset), .payload, .length);
`endif

    // --- the record ---

    longint unsigned value[string];  // of the line, by the name of its column
    string names[$];

    function automatic longint unsigned number(string text);
        longint unsigned n = 0;
        if (text.len() > 2 && text.substr(0, 1) == "0x") begin
            void'($sscanf(text.substr(2, text.len() - 1), "%x", n));
        end else begin
            void'($sscanf(text, "%d", n));
        end
        return n;
    endfunction

    // The first line with values has the names.
    function automatic void read_line(string line);
        int column = 0, begins = 0;
        bit naming = names.size() == 0;
        for (int at = 0; at < line.len(); at++) begin
            if (line[at] == "," || line[at] == "\n") begin
                string cell_text = at > begins ? line.substr(begins, at - 1) : "";
                if (naming) names.push_back(cell_text);
                else value[names[column]] = number(cell_text);
                column++;
                begins = at + 1;
            end
        end
    endfunction

    function automatic void drive();
        itype = itype_t'(value["itype"][3:0]);
        cause = value["cause"][ecause_width_p-1:0];
        tval = value["tval"][iaddress_width_p-1:0];
        priv = value["priv"][privilege_width_p-1:0];
        iaddr = value["iaddr"][iaddress_width_p-1:0];
        iretire = value["iretire"][0];
        ilastsize = value["ilastsize"][0];
        halted = value.exists("halted") != 0 && value["halted"][0];
    endfunction

    // --- what is written ---

    int packets;

    function automatic void write_packet();
        $fwrite(packets, "%c", {3'b010, length});  // message type 2: instruction trace
        for (int n = 0; n < 32'(length); n++) $fwrite(packets, "%c", payload[8*n+:8]);
    endfunction

    function automatic void write_parameters(int file, string indent);
        $fwrite(file, "%swire: 1.1.1\n", indent);
        $fwrite(file, "%siaddress_width_p: %0d\n", indent, iaddress_width_p);
        $fwrite(file, "%siaddress_lsb_p: %0d\n", indent, iaddress_lsb_p);
        $fwrite(file, "%sprivilege_width_p: %0d\n", indent, privilege_width_p);
        $fwrite(file, "%secause_width_p: %0d\n", indent, ecause_width_p);
        $fwrite(file, "%snocontext_p: 1\n%sretires_p: 1\n", indent, indent);
        $fwrite(file, "%sencoder_mode_n: %0d\n", indent, encoder_mode_n);
        $fwrite(file, "%sioptions_n: %0d\n", indent, ioptions_n);
        if (max_resync != 0) $fwrite(file, "%smax_resync: %0d\n", indent, max_resync);
    endfunction

    function automatic void write_config(string path);
        int file;
        file = $fopen(path, "w");
        write_parameters(file, "");
        $fclose(file);
    endfunction

    function automatic void write_manifest(string path, string data, string execution,
                                           string image);
        int file;
        file = $fopen(path, "w");
        $fwrite(file, "manifest: 1\nformat: etrace\nframing: byte-header\n");
        $fwrite(file, "data: [%s]\nexecution: %s\nimages: [{file: %s}]\n", data, execution, image);
        $fwrite(file, "config:\n");
        write_parameters(file, "  ");
        $fclose(file);
    endfunction

    // --- the run ---

    initial forever #1 clk = !clk;
    always @(posedge clk) if (packet_valid && !reset) write_packet();

    function automatic string argument(string name);
        string text;
        if ($value$plusargs({name, "=%s"}, text) == 0) begin
            $display("%s=... is missing", name);
            $fatal;
        end
        return text;
    endfunction

    function automatic void choose_fault(string name);
        fault_t f = f.first();
        while (f.name() != name && f != f.last()) f = f.next();
        if (f.name() != name) $fatal(1, "there is no fault %s", name);
        fault = f;
    endfunction

    initial begin
        string line, name;
        int record;
        record = $fopen(argument("record"), "r");
        packets = $fopen(argument("packets"), "wb");
        if (record == 0 || packets == 0) $fatal(1, "a file cannot be opened");
        void'($value$plusargs("max_resync=%d", max_resync));
        if ($value$plusargs("fault=%s", name) != 0) choose_fault(name);
        write_manifest(argument("manifest"), argument("packets"), argument("record"),
                       argument("image"));
        if ($value$plusargs("config=%s", name) != 0) write_config(name);
        repeat (2) @(negedge clk);
        reset = 0;
        enable = 1;
        @(negedge clk);
        while ($fgets(line, record) != 0) begin
            if (line == "\n" || line[0] == "#") continue;
            if (names.size() == 0) begin
                read_line(line);
                continue;
            end
            read_line(line);
            drive();
            @(negedge clk);
        end
        iretire = 0;
        itype = PLAIN;
        enable = 0;
        repeat (4) @(negedge clk);
        $fclose(packets);
        $finish;
    end
endmodule
