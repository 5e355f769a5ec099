// Judges the packets of an encoder of E-Trace while they are made, and stops the simulation with the
// first one that violates a rule. Instantiate it beside the encoder, or bind it to one; it has no
// effect without +config.
//
//     +config=FILE     the encoder's parameters (docs/formats/etrace.md)
//     +image=FILE      the program, to follow the instructions through it
//     +execution=FILE  the record of the interface, to compare them with; optional
//
// The functions are those of assay_dpi.c.
module assay_judge #(
    parameter int unsigned payload_bytes = 32
) (
    input logic clk,
    input logic valid,  // there is a packet
    input logic [8*payload_bytes-1:0] payload,
    input logic [4:0] length  // of its payload in bytes
);
    import "DPI-C" function chandle assay_dpi_open(input string format);
    import "DPI-C" function string assay_dpi_message(input chandle judge);
    import "DPI-C" function int assay_dpi_set(input chandle judge, input string name,
                                              input string value);
    import "DPI-C" function int assay_dpi_begin(input chandle judge, input string name);
    import "DPI-C" function int assay_dpi_push(input chandle judge, input byte unsigned value);
    import "DPI-C" function int assay_dpi_flush(input chandle judge);
    import "DPI-C" function int assay_dpi_close(input chandle judge);

    chandle handle;
    bit judging = 0;
    bit judged = 0;

    function automatic void must(int status);
        if (status != 0) $fatal(1, "assay: %s", assay_dpi_message(handle));
    endfunction

    function automatic void set_by_argument(string name);
        string value;
        if ($value$plusargs({name, "=%s"}, value) != 0) must(assay_dpi_set(handle, name, value));
    endfunction

    // With the first packet: by then a testbench has written the files.
    function automatic void begin_stream();
        judged = 1;
        if ($test$plusargs("config=") == 0) return;
        handle = assay_dpi_open("etrace");
        if (handle == null) $fatal(1, "assay: out of memory");
        must(assay_dpi_set(handle, "framing", "byte-header"));
        set_by_argument("config");
        set_by_argument("image");
        set_by_argument("execution");
        must(assay_dpi_begin(handle, "simulation"));
        judging = 1;
    endfunction

    // Prints the report.
    function automatic void end_stream();
        int outcome;
        judging = 0;
        outcome = assay_dpi_close(handle);
        if (outcome < 0) $fatal(1, "assay: the trace could not be judged");
        if (outcome != 0) $fatal(1, "the trace does not conform");
    endfunction

    function automatic void push(byte unsigned value);
        must(assay_dpi_push(handle, value));
    endfunction

    initial forever @(posedge clk) if (valid) begin
        if (!judged) begin_stream();
        if (judging) begin
            push({3'b010, length});  // message type 2: instruction trace
            for (int n = 0; n < 32'(length); n++) push(payload[8*n+:8]);
            if (assay_dpi_flush(handle) != 0) begin
                $display("%0t: %s", $time, assay_dpi_message(handle));
                $fflush;
                end_stream();
            end
        end
    end

    final if (judging) end_stream();
endmodule
