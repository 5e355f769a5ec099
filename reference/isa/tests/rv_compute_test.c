#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/rv_compute.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Operands: each word is tried with all pairs of them. */
static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  0x7f,
                                  0x80,
                                  0x8000,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x123456789abcdef0,
                                  0x8000000000000000,
                                  0x7fffffffffffffff,
                                  0xffffffff80000000,
                                  0xffffffffffffffff,
                                  0x00ff00010080fe00,
                                  37};

/* Words that write x10 from x10 and x11, and the sum over the results that QEMU 7.2 has for them.
 */
static const struct {
    enum rv_isa isa;
    uint32_t word;
    uint64_t sum;
} sums[] = {
    {RV_64, 0x00b50533, 0x230f517aba056b0b}, /* add a0, a0, a1 */
    {RV_64, 0x40b50533, 0x0b8fcc0a74b4351b}, /* sub a0, a0, a1 */
    {RV_64, 0x00b51533, 0x10127191c1099dc3}, /* sll a0, a0, a1 */
    {RV_64, 0x00b52533, 0xc36cce3fbafec0b5}, /* slt a0, a0, a1 */
    {RV_64, 0x00b53533, 0x7afbf4bd2d95059d}, /* sltu a0, a0, a1 */
    {RV_64, 0x00b54533, 0xa2776e46a85b8832}, /* xor a0, a0, a1 */
    {RV_64, 0x00b55533, 0x6cadfb38cf39bd07}, /* srl a0, a0, a1 */
    {RV_64, 0x40b55533, 0x23685e5982370a9c}, /* sra a0, a0, a1 */
    {RV_64, 0x00b56533, 0x84dfda4476cf2765}, /* or a0, a0, a1 */
    {RV_64, 0x00b57533, 0xbdd5588bbda43c2c}, /* and a0, a0, a1 */
    {RV_64, 0x02b50533, 0x55b344d873d8e0fd}, /* mul a0, a0, a1 */
    {RV_64, 0x02b51533, 0xf2b423d98607e5ec}, /* mulh a0, a0, a1 */
    {RV_64, 0x02b52533, 0x6abdd1face93459e}, /* mulhsu a0, a0, a1 */
    {RV_64, 0x02b53533, 0xa3ae1731512c87ae}, /* mulhu a0, a0, a1 */
    {RV_64, 0x02b54533, 0x351c7fd7408674c9}, /* div a0, a0, a1 */
    {RV_64, 0x02b55533, 0xa337cafa4ee70742}, /* divu a0, a0, a1 */
    {RV_64, 0x02b56533, 0x7c48b62fefe4e9a6}, /* rem a0, a0, a1 */
    {RV_64, 0x02b57533, 0xd0ae94e8d1daa9b1}, /* remu a0, a0, a1 */
    {RV_64, 0x80050513, 0xb594fc9742298c6e}, /* add a0, a0, -2048 */
    {RV_64, 0x7ff50513, 0xc294a50b1af7b65c}, /* add a0, a0, 2047 */
    {RV_64, 0xffd52513, 0x8cdf7465d85e229b}, /* slti a0, a0, -3 */
    {RV_64, 0xffd53513, 0xaeb12e5327bffbd7}, /* sltiu a0, a0, -3 */
    {RV_64, 0xaaa54513, 0x69bb360152651f18}, /* xor a0, a0, -1366 */
    {RV_64, 0xaaa56513, 0xf8788020d71621a9}, /* or a0, a0, -1366 */
    {RV_64, 0xaaa57513, 0x0710c87c51f68356}, /* and a0, a0, -1366 */
    {RV_64, 0x00151513, 0x7f7a10943e9bb250}, /* sll a0, a0, 0x1 */
    {RV_64, 0x01f51513, 0x7262c0f62eb5ed1c}, /* sll a0, a0, 0x1f */
    {RV_64, 0x00155513, 0x90173029ace0a96c}, /* srl a0, a0, 0x1 */
    {RV_64, 0x01f55513, 0xda26b1913b64c567}, /* srl a0, a0, 0x1f */
    {RV_64, 0x40155513, 0x5cecd21d2e862eb4}, /* sra a0, a0, 0x1 */
    {RV_64, 0x41f55513, 0x15aafab9e42976d4}, /* sra a0, a0, 0x1f */
    {RV_64, 0x80000537, 0xe1cfa190b41da0ed}, /* lui a0, 0x80000 */
    {RV_64, 0x7ffff537, 0x6a5e6653cd37eea5}, /* lui a0, 0x7ffff */
    {RV_64, 0xffb00513, 0xa1b8e65609638e15}, /* li a0, -5 */
    {RV_64, 0x00b00533, 0x6695f6215b72dd11}, /* add a0, zero, a1 */
    {RV_64, 0x40b00533, 0x7c00a61a2729f7c9}, /* neg a0, a1 */
    {RV_64, 0x60051513, 0x378d03817d95b09d}, /* clz a0, a0 */
    {RV_64, 0x60151513, 0x7151ee680d8e84aa}, /* ctz a0, a0 */
    {RV_64, 0x60251513, 0x742fe42b5448686c}, /* cpop a0, a0 */
    {RV_64, 0x60451513, 0x74178d4241022f5a}, /* sext.b a0, a0 */
    {RV_64, 0x60551513, 0xf4392596291f2c54}, /* sext.h a0, a0 */
    {RV_64, 0x0805453b, 0x331927af6cd71c12}, /* zext.h a0, a0 */
    {RV_64, 0x28755513, 0xd4e62595fe2f259d}, /* orc.b a0, a0 */
    {RV_64, 0x6b855513, 0x4d239687a9796dd2}, /* rev8 a0, a0 */
    {RV_64, 0x40b57533, 0x9100ad142e64fbdb}, /* andn a0, a0, a1 */
    {RV_64, 0x40b56533, 0x5eea9fca45689b8d}, /* orn a0, a0, a1 */
    {RV_64, 0x40b54533, 0x74d66ab0b302db0c}, /* xnor a0, a0, a1 */
    {RV_64, 0x0ab54533, 0x9a3beff58982cb91}, /* min a0, a0, a1 */
    {RV_64, 0x0ab55533, 0x9cca108f27b3b65a}, /* minu a0, a0, a1 */
    {RV_64, 0x0ab56533, 0x3fc42dd62e078e65}, /* max a0, a0, a1 */
    {RV_64, 0x0ab57533, 0x746984a6fa5be26b}, /* maxu a0, a0, a1 */
    {RV_64, 0x60b51533, 0x6e98d791f605ee54}, /* rol a0, a0, a1 */
    {RV_64, 0x60b55533, 0xfae0d69ff08798c6}, /* ror a0, a0, a1 */
    {RV_64, 0x60755513, 0xbc7252aee210bad2}, /* ror a0, a0, 0x7 */
    {RV_64, 0x60055513, 0x8d444e6c4c34099f}, /* ror a0, a0, 0x0 */
    {RV_64, 0x20b52533, 0xd6ba063c15982afb}, /* sh1add a0, a0, a1 */
    {RV_64, 0x20b54533, 0x8da9f67cd9585b66}, /* sh2add a0, a0, a1 */
    {RV_64, 0x20b56533, 0x7f7aeadb6a2d8e6e}, /* sh3add a0, a0, a1 */
    {RV_64, 0x28b51533, 0x2c16de4c9a71784b}, /* bset a0, a0, a1 */
    {RV_64, 0x48b51533, 0x005a4d39da9f542c}, /* bclr a0, a0, a1 */
    {RV_64, 0x48b55533, 0x9459b419518ab883}, /* bext a0, a0, a1 */
    {RV_64, 0x68b51533, 0xc545d10b81e059f5}, /* binv a0, a0, a1 */
    {RV_64, 0x29e51513, 0xa42a35889d8b22a4}, /* bset a0, a0, 0x1e */
    {RV_64, 0x49e51513, 0x98bd8f6ef47d46cd}, /* bclr a0, a0, 0x1e */
    {RV_64, 0x49e55513, 0x500f19f614ff9a31}, /* bext a0, a0, 0x1e */
    {RV_64, 0x69e51513, 0x183dd146a6e9f126}, /* binv a0, a0, 0x1e */
    {RV_64, 0x153d, 0x93b1bb493e904653},     /* add a0, a0, -17 */
    {RV_64, 0x057d, 0x092baa502ec873b6},     /* add a0, a0, 31 */
    {RV_64, 0x5501, 0x158626d57e626b10},     /* li a0, -32 */
    {RV_64, 0x4555, 0x4b14fb62468562cc},     /* li a0, 21 */
    {RV_64, 0x657d, 0xed1b061ac649b5ff},     /* lui a0, 0x1f */
    {RV_64, 0x7501, 0xa89ab5ac3804521a},     /* lui a0, 0xfffe0 */
    {RV_64, 0x810d, 0x76fb3c017d50cef7},     /* srl a0, a0, 0x3 */
    {RV_64, 0x8579, 0xc0f532228dffa57a},     /* sra a0, a0, 0x1e */
    {RV_64, 0x9959, 0x908ce25b7ddfb829},     /* and a0, a0, -10 */
    {RV_64, 0x8955, 0xe56008e960b451a2},     /* and a0, a0, 21 */
    {RV_64, 0x8d0d, 0x0b8fcc0a74b4351b},     /* sub a0, a0, a1 */
    {RV_64, 0x8d2d, 0xa2776e46a85b8832},     /* xor a0, a0, a1 */
    {RV_64, 0x8d4d, 0x84dfda4476cf2765},     /* or a0, a0, a1 */
    {RV_64, 0x8d6d, 0xbdd5588bbda43c2c},     /* and a0, a0, a1 */
    {RV_64, 0x0516, 0x784e2a5e870165f2},     /* sll a0, a0, 0x5 */
    {RV_64, 0x852e, 0x6695f6215b72dd11},     /* mv a0, a1 */
    {RV_64, 0x952e, 0x230f517aba056b0b},     /* add a0, a0, a1 */
    {RV_64, 0x00b5053b, 0xcbca37f46c0a3ac5}, /* addw a0, a0, a1 */
    {RV_64, 0x40b5053b, 0xe23539c04926375a}, /* subw a0, a0, a1 */
    {RV_64, 0x00b5153b, 0xb45429b65d2b8498}, /* sllw a0, a0, a1 */
    {RV_64, 0x00b5553b, 0x837c067a5ef64a7e}, /* srlw a0, a0, a1 */
    {RV_64, 0x40b5553b, 0x4afa9950883c3698}, /* sraw a0, a0, a1 */
    {RV_64, 0x02b5053b, 0x09f8a15bd6842b9f}, /* mulw a0, a0, a1 */
    {RV_64, 0x02b5453b, 0x0dffb735789e43ea}, /* divw a0, a0, a1 */
    {RV_64, 0x02b5553b, 0x0aa66047885d27bb}, /* divuw a0, a0, a1 */
    {RV_64, 0x02b5653b, 0xd6d95856899ef365}, /* remw a0, a0, a1 */
    {RV_64, 0x02b5753b, 0x793db8b30a3b4350}, /* remuw a0, a0, a1 */
    {RV_64, 0xfff5051b, 0xe91ce39e3ccd327f}, /* addw a0, a0, -1 */
    {RV_64, 0x01f5151b, 0x923e261c3cb9d5aa}, /* sllw a0, a0, 0x1f */
    {RV_64, 0x0055551b, 0xaf69a697b10f290b}, /* srlw a0, a0, 0x5 */
    {RV_64, 0x4055551b, 0x7aaf00db3ac6c5d4}, /* sraw a0, a0, 0x5 */
    {RV_64, 0x03f51513, 0xa3aa0b44962a0929}, /* sll a0, a0, 0x3f */
    {RV_64, 0x02155513, 0xd3f55a95e4e862c2}, /* srl a0, a0, 0x21 */
    {RV_64, 0x43f55513, 0xb79129956afea15a}, /* sra a0, a0, 0x3f */
    {RV_64, 0x6005151b, 0x099a2d85f7049ab3}, /* clzw a0, a0 */
    {RV_64, 0x6025151b, 0x4c4707e10ab43c28}, /* cpopw a0, a0 */
    {RV_64, 0x60b5153b, 0x12c004d25c28d13b}, /* rolw a0, a0, a1 */
    {RV_64, 0x60b5553b, 0x857eeaf88762b1d9}, /* rorw a0, a0, a1 */
    {RV_64, 0x6095551b, 0x40c3d3c59396fb1c}, /* rorw a0, a0, 0x9 */
    {RV_64, 0x63f55513, 0xa1416ef36aa8fdb9}, /* ror a0, a0, 0x3f */
    {RV_64, 0x08b5053b, 0x660848d2cf4f3d69}, /* add.uw a0, a0, a1 */
    {RV_64, 0x20b5253b, 0xb86f8536d62cc554}, /* sh1add.uw a0, a0, a1 */
    {RV_64, 0x20b5453b, 0x26844c8937e7a47a}, /* sh2add.uw a0, a0, a1 */
    {RV_64, 0x20b5653b, 0x8cd945c25f60d402}, /* sh3add.uw a0, a0, a1 */
    {RV_64, 0x0a45151b, 0x26277f2c7832e1ea}, /* slli.uw a0, a0, 0x24 */
    {RV_64, 0x2bf51513, 0x464e48763f67e606}, /* bset a0, a0, 0x3f */
    {RV_64, 0x4bf51513, 0xfc5bc1c7d5d76743}, /* bclr a0, a0, 0x3f */
    {RV_64, 0x4bf55513, 0x59b6d752f004ab2b}, /* bext a0, a0, 0x3f */
    {RV_64, 0x6bf51513, 0x53f6ed2aafed2bb6}, /* binv a0, a0, 0x3f */
    {RV_64, 0x353d, 0x642c469331401311},     /* addw a0, a0, -17 */
    {RV_64, 0x9121, 0xfd21391289955f62},     /* srl a0, a0, 0x28 */
    {RV_64, 0x957d, 0xb79129956afea15a},     /* sra a0, a0, 0x3f */
    {RV_64, 0x1522, 0x4d68ec37170f9ed1},     /* sll a0, a0, 0x28 */
    {RV_64, 0x9d0d, 0xe23539c04926375a},     /* subw a0, a0, a1 */
    {RV_64, 0x9d2d, 0xcbca37f46c0a3ac5},     /* addw a0, a0, a1 */
    {RV_32, 0x00b50533, 0x571535e52b32a770}, /* add a0, a0, a1 */
    {RV_32, 0x40b50533, 0x4808f1295c78dd6e}, /* sub a0, a0, a1 */
    {RV_32, 0x00b51533, 0xde6355dac16de677}, /* sll a0, a0, a1 */
    {RV_32, 0x00b52533, 0x92d54440a4b184f4}, /* slt a0, a0, a1 */
    {RV_32, 0x00b53533, 0x96156d83f02c9088}, /* sltu a0, a0, a1 */
    {RV_32, 0x00b54533, 0x1d2ec25c88fcead5}, /* xor a0, a0, a1 */
    {RV_32, 0x00b55533, 0xbc14b4c9d9eb4584}, /* srl a0, a0, a1 */
    {RV_32, 0x40b55533, 0x86b694eb99a48724}, /* sra a0, a0, a1 */
    {RV_32, 0x00b56533, 0xf1674123151a93b2}, /* or a0, a0, a1 */
    {RV_32, 0x00b57533, 0xfe9aa4e41a155996}, /* and a0, a0, a1 */
    {RV_32, 0x02b50533, 0x7aa21751f5e23952}, /* mul a0, a0, a1 */
    {RV_32, 0x02b51533, 0x2875d18764661c5f}, /* mulh a0, a0, a1 */
    {RV_32, 0x02b52533, 0x26d72e37e2437526}, /* mulhsu a0, a0, a1 */
    {RV_32, 0x02b53533, 0xa1c0402d1a84f9e5}, /* mulhu a0, a0, a1 */
    {RV_32, 0x02b54533, 0xa8fb8c44c3cdff05}, /* div a0, a0, a1 */
    {RV_32, 0x02b55533, 0x9b6a88df17211a61}, /* divu a0, a0, a1 */
    {RV_32, 0x02b56533, 0xb0460e67c432ca0b}, /* rem a0, a0, a1 */
    {RV_32, 0x02b57533, 0x9509b6855d97f48a}, /* remu a0, a0, a1 */
    {RV_32, 0x80050513, 0xfe9d931cc3165809}, /* add a0, a0, -2048 */
    {RV_32, 0x7ff50513, 0xf049c2e7342d3f3c}, /* add a0, a0, 2047 */
    {RV_32, 0xffd52513, 0x2a888af6e2002738}, /* slti a0, a0, -3 */
    {RV_32, 0xffd53513, 0x0d3b332419d28e66}, /* sltiu a0, a0, -3 */
    {RV_32, 0xaaa54513, 0x84d5b7e4a0aa800e}, /* xor a0, a0, -1366 */
    {RV_32, 0xaaa56513, 0x45d938f9a78d2df6}, /* or a0, a0, -1366 */
    {RV_32, 0xaaa57513, 0x50cb08ca1a5bf988}, /* and a0, a0, -1366 */
    {RV_32, 0x00151513, 0x2d08c2085ad15cc7}, /* sll a0, a0, 0x1 */
    {RV_32, 0x01f51513, 0xa9f7bd272b464811}, /* sll a0, a0, 0x1f */
    {RV_32, 0x00155513, 0xd66f38c77c333001}, /* srl a0, a0, 0x1 */
    {RV_32, 0x01f55513, 0x9d442388f14dc181}, /* srl a0, a0, 0x1f */
    {RV_32, 0x40155513, 0x435c6aff2093ff8f}, /* sra a0, a0, 0x1 */
    {RV_32, 0x41f55513, 0xccd40f681e8422b8}, /* sra a0, a0, 0x1f */
    {RV_32, 0x80000537, 0x97dc9671d682d057}, /* lui a0, 0x80000 */
    {RV_32, 0x7ffff537, 0x6a5e6653cd37eea5}, /* lui a0, 0x7ffff */
    {RV_32, 0xffb00513, 0xf22fa5e71f17c302}, /* li a0, -5 */
    {RV_32, 0x00b00533, 0x2c7ae50630fc1752}, /* add a0, zero, a1 */
    {RV_32, 0x40b00533, 0xa511c4c9e33424c0}, /* neg a0, a1 */
    {RV_32, 0x60051513, 0x099a2d85f7049ab3}, /* clz a0, a0 */
    {RV_32, 0x60151513, 0x36c3fe78833c7197}, /* ctz a0, a0 */
    {RV_32, 0x60251513, 0x4c4707e10ab43c28}, /* cpop a0, a0 */
    {RV_32, 0x60451513, 0xc5b9e67bee5d0c82}, /* sext.b a0, a0 */
    {RV_32, 0x60551513, 0x7b7f167c830d8ebd}, /* sext.h a0, a0 */
    {RV_32, 0x08054533, 0x331927af6cd71c12}, /* zext.h a0, a0 */
    {RV_32, 0x28755513, 0x46004e2b6429cd0a}, /* orc.b a0, a0 */
    {RV_32, 0x69855513, 0x12c502105da1d593}, /* rev8 a0, a0 */
    {RV_32, 0x40b57533, 0x2f59a12ce71320e0}, /* andn a0, a0, a1 */
    {RV_32, 0x40b56533, 0xb84978f3e83e97a8}, /* orn a0, a0, a1 */
    {RV_32, 0x40b54533, 0x363bffa4cc92541c}, /* xnor a0, a0, a1 */
    {RV_32, 0x0ab54533, 0x19c93184d11786e9}, /* min a0, a0, a1 */
    {RV_32, 0x0ab55533, 0x72a013bcead18402}, /* minu a0, a0, a1 */
    {RV_32, 0x0ab56533, 0xddadb5f494521ba3}, /* max a0, a0, a1 */
    {RV_32, 0x0ab57533, 0x1c1af6070ac2e57d}, /* maxu a0, a0, a1 */
    {RV_32, 0x60b51533, 0x4c5957a657fc61ba}, /* rol a0, a0, a1 */
    {RV_32, 0x60b55533, 0xabd41f1deafa3ebc}, /* ror a0, a0, a1 */
    {RV_32, 0x60755513, 0x0ad0b3750ef1ef75}, /* ror a0, a0, 0x7 */
    {RV_32, 0x60055513, 0xb35da6e8cb8b102f}, /* ror a0, a0, 0x0 */
    {RV_32, 0x20b52533, 0x0c75632aa7218ae3}, /* sh1add a0, a0, a1 */
    {RV_32, 0x20b54533, 0x304761fd9cc2e3f3}, /* sh2add a0, a0, a1 */
    {RV_32, 0x20b56533, 0x9c05c8346cc80fa5}, /* sh3add a0, a0, a1 */
    {RV_32, 0x28b51533, 0x4ad23041e0c4a503}, /* bset a0, a0, a1 */
    {RV_32, 0x48b51533, 0x643c1b3818fa2790}, /* bclr a0, a0, a1 */
    {RV_32, 0x48b55533, 0x75c685deea16d440}, /* bext a0, a0, a1 */
    {RV_32, 0x68b51533, 0x9dcaf583eb5f035f}, /* binv a0, a0, a1 */
    {RV_32, 0x29e51513, 0x87177c469318a42b}, /* bset a0, a0, 0x1e */
    {RV_32, 0x49e51513, 0x67fba4b444eb4282}, /* bclr a0, a0, 0x1e */
    {RV_32, 0x49e55513, 0x500f19f614ff9a31}, /* bext a0, a0, 0x1e */
    {RV_32, 0x69e51513, 0x01f8b4ecf935a312}, /* binv a0, a0, 0x1e */
    {RV_32, 0x153d, 0x6fdaaf236984d3c6},     /* add a0, a0, -17 */
    {RV_32, 0x057d, 0x56c30d7be42a76cd},     /* add a0, a0, 31 */
    {RV_32, 0x5501, 0xf6284cb880d9c6ef},     /* li a0, -32 */
    {RV_32, 0x4555, 0x4b14fb62468562cc},     /* li a0, 21 */
    {RV_32, 0x657d, 0xed1b061ac649b5ff},     /* lui a0, 0x1f */
    {RV_32, 0x7501, 0xea9cdbdd37c6f155},     /* lui a0, 0xfffe0 */
    {RV_32, 0x810d, 0x587128b8a1061e33},     /* srl a0, a0, 0x3 */
    {RV_32, 0x8579, 0x3be54d23ed2d0ebe},     /* sra a0, a0, 0x1e */
    {RV_32, 0x9959, 0x4aa3e3ca3135a2d2},     /* and a0, a0, -10 */
    {RV_32, 0x8955, 0xe56008e960b451a2},     /* and a0, a0, 21 */
    {RV_32, 0x8d0d, 0x4808f1295c78dd6e},     /* sub a0, a0, a1 */
    {RV_32, 0x8d2d, 0x1d2ec25c88fcead5},     /* xor a0, a0, a1 */
    {RV_32, 0x8d4d, 0xf1674123151a93b2},     /* or a0, a0, a1 */
    {RV_32, 0x8d6d, 0xfe9aa4e41a155996},     /* and a0, a0, a1 */
    {RV_32, 0x0516, 0xb4e8b92d610eca60},     /* sll a0, a0, 0x5 */
    {RV_32, 0x852e, 0x2c7ae50630fc1752},     /* mv a0, a1 */
    {RV_32, 0x952e, 0x571535e52b32a770},     /* add a0, a0, a1 */
};

static bool compute(uint32_t word, enum rv_isa isa, uint64_t a, uint64_t b, uint64_t *result)
{
    struct rv_computation c;
    const bool known = rv_computation(word, rv_classify(word, isa), isa, &c);
    *result = known ? rv_compute(&c, a, c.second == c.first ? a : b) : 0;
    return known;
}

/* The first operand is in x10, the second in x11. */
static uint64_t in_register(uint8_t number, uint64_t a, uint64_t b)
{
    return number == 10 ? a : number == 11 ? b : 0;
}

static uint64_t sum_of(uint32_t word, enum rv_isa isa)
{
    struct rv_computation c;
    uint64_t sum = 0;
    assert_true(rv_computation(word, rv_classify(word, isa), isa, &c));
    assert_int_equal(c.rd, 10);
    for (size_t i = 0; i < COUNT(values) * COUNT(values); i++) {
        const uint64_t a = values[i / COUNT(values)], b = values[i % COUNT(values)];
        const uint64_t result =
            rv_compute(&c, in_register(c.first, a, b), in_register(c.second, a, b));
        sum = (sum << 7 | sum >> 57) ^ (isa == RV_32 ? (uint32_t)result : result);
        sum *= 0x9e3779b97f4a7c15;
    }
    return sum;
}

static void results_are_those_of_another_implementation(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sums); i++) {
        if (sum_of(sums[i].word, sums[i].isa) != sums[i].sum) {
            fail_msg("%08x of %s computes something else", sums[i].word,
                     sums[i].isa == RV_32 ? "rv32" : "rv64");
        }
    }
}

/* Of extensions that the implementation above is too old for, words that name sp, and CTZW, where
 * it is wrong if the low half is 0. */
static void other_words_compute_what_their_chapter_says(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        enum rv_isa isa;
        uint64_t a, b, result;
    } cases[] = {
        {0x6015151b, RV_64, 0x8000000000000000, 0, 32},                   /* ctzw a0, a0 */
        {0x6015151b, RV_64, 0x8000000080, 0, 7},                          /* */
        {0x0eb55533, RV_64, 7, 0, 0},                                     /* czero.eqz a0, a0, a1 */
        {0x0eb55533, RV_64, 7, 2, 7},                                     /* */
        {0x0eb57533, RV_64, 7, 0, 7},                                     /* czero.nez a0, a0, a1 */
        {0x0eb57533, RV_64, 7, 2, 0},                                     /* */
        {0x0ab51533, RV_64, 0x8000000000000003, 0x8000000000000005, 0xf}, /* clmul a0, a0, a1 */
        {0x0ab52533, RV_64, 0x8000000000000003, 0x8000000000000005,
         0x8000000000000006}, /* clmulr a0, a0, a1 */
        {0x0ab53533, RV_64, 0x8000000000000003, 0x8000000000000005,
         0x4000000000000003}, /* clmulh a0, a0, a1 */
        {0x0ab51533, RV_32, 0xffffffff80000003, 0xffffffffc0000005, 0xffffffffc000000f}, /*  */
        {0x0ab52533, RV_32, 0xffffffff80000003, 0xffffffffc0000005, 0xffffffffc0000007}, /*  */
        {0x0ab53533, RV_32, 0xffffffff80000003, 0xffffffffc0000005, 0x60000003},         /*  */
        {0x9d4d, RV_64, 7, 3, 21},                          /* c.mul a0, a1 */
        {0x9d61, RV_64, 0x1235, 0, 0x35},                   /* c.zext.b a0 */
        {0x9d65, RV_64, 0x1280, 0, 0xffffffffffffff80},     /* c.sext.b a0 */
        {0x9d69, RV_64, 0x98765, 0, 0x8765},                /* c.zext.h a0 */
        {0x9d6d, RV_64, 0x98765, 0, 0xffffffffffff8765},    /* c.sext.h a0 */
        {0x9d71, RV_64, 0xffffffff80000001, 0, 0x80000001}, /* c.zext.w a0 */
        {0x9d75, RV_64, 0xff, 0, 0xffffffffffffff00},       /* c.not a0 */
        {0x9d75, RV_32, 0xff, 0, 0xffffffffffffff00},       /* */
        {0x0808, RV_64, 0x1000, 0, 0x1010},                 /* c.addi4spn a0, sp, 16 */
        {0x1048, RV_64, 0x1000, 0, 0x1024},                 /* c.addi4spn a0, sp, 36 */
        {0x0028, RV_64, 0x1000, 0, 0x1008},                 /* c.addi4spn a0, sp, 8 */
        {0x1fe8, RV_64, 0x1000, 0, 0x13fc},                 /* c.addi4spn a0, sp, 1020 */
        {0x6141, RV_64, 0x1000, 0, 0x1010},                 /* c.addi16sp sp, 16 */
        {0x713d, RV_64, 0x1000, 0, 0xfe0},                  /* c.addi16sp sp, -32 */
        {0x7101, RV_64, 0x1000, 0, 0xe00},                  /* c.addi16sp sp, -512 */
        {0x617d, RV_64, 0x1000, 0, 0x11f0},                 /* c.addi16sp sp, 496 */
        {0x6105, RV_64, 0x1000, 0, 0x1020},                 /* c.addi16sp sp, 32 */
        {0x6121, RV_64, 0x1000, 0, 0x1040},                 /* c.addi16sp sp, 64 */
        {0x6109, RV_64, 0x1000, 0, 0x1080},                 /* c.addi16sp sp, 128 */
        {0x6111, RV_64, 0x1000, 0, 0x1100},                 /* c.addi16sp sp, 256 */
        {0x0088, RV_64, 0x1000, 0, 0x1040},                 /* c.addi4spn a0, sp, 64 */
        {0x0108, RV_64, 0x1000, 0, 0x1080},                 /* c.addi4spn a0, sp, 128 */
        {0x6521, RV_64, 5, 5, 0x8000},                      /* c.lui a0, 8 */
        {0x4585, RV_64, 0, 0, 1},                           /* c.li a1, 1 */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t result;
        assert_true(compute(cases[i].word, cases[i].isa, cases[i].a, cases[i].b, &result));
        assert_int_equal(result, cases[i].result);
    }
}

static void what_is_no_integer_computation_is_not_computed(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        enum rv_isa isa;
    } cases[] = {
        {0x00000013, RV_64}, /* nop */
        {0x00000517, RV_64}, /* auipc a0, 0 */
        {0x008000ef, RV_64}, /* jal */
        {0x00052503, RV_64}, /* lw a0, 0(a0) */
        {0x00b52023, RV_64}, /* sw a1, 0(a0) */
        {0x08b54533, RV_64}, /* pack a0, a0, a1 */
        {0x08054533, RV_64}, /* pack a0, a0, zero, which is zext.h in RV32 only */
        {0x08b5453b, RV_64}, /* packw a0, a0, a1 */
        {0x68755513, RV_64}, /* brev8 a0, a0 */
        {0x10051513, RV_64}, /* sha256sum0 a0, a0 */
        {0x4501, RV_64},     /* c.li a0, 0: a computation */
        {0x0005, RV_64},     /* c.addi zero, 1: a hint */
        {0xffffffff, RV_64}, {0x00b5053b, RV_32}, /* addw, which RV32 does not have */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t result;
        assert_int_equal(compute(cases[i].word, cases[i].isa, 1, 2, &result),
                         cases[i].word == 0x4501);
    }
}

static void a_computation_names_the_registers_that_it_needs(void **state)
{
    (void)state;
    static const struct {
        uint32_t word, read;
        uint8_t rd, first, second;
    } cases[] = {{0x007302b3, 1u << 6 | 1u << 7, 5, 6, 7},           /* add x5, x6, x7 */
                 {0x006002b3, 1u << 6, 5, 0, 6},                     /* add x5, x0, x6 */
                 {0x00730033, 1u << 6 | 1u << 7, 0, 6, 7},           /* add x0, x6, x7 */
                 {0x00130293, 1u << 6, 5, 6, RV_NO_REGISTER},        /* addi x5, x6, 1 */
                 {0x000012b7, 0, 5, RV_NO_REGISTER, RV_NO_REGISTER}, /* lui x5, 1 */
                 {0x852e, 1u << 11, 10, RV_NO_REGISTER, 11},         /* c.mv a0, a1 */
                 {0x952e, 1u << 10 | 1u << 11, 10, 10, 11},          /* c.add a0, a1 */
                 {0x0505, 1u << 10, 10, 10, RV_NO_REGISTER},         /* c.addi a0, 1 */
                 {0x0808, 1u << 2, 10, 2, RV_NO_REGISTER}};          /* c.addi4spn a0, sp, 16 */
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rv_computation c;
        const uint32_t word = cases[i].word;
        assert_true(rv_computation(word, rv_classify(word, RV_64), RV_64, &c));
        assert_int_equal(c.read, cases[i].read);
        assert_int_equal(c.rd, cases[i].rd);
        assert_int_equal(c.first, cases[i].first);
        assert_int_equal(c.second, cases[i].second);
    }
}

static void loads_extend_by_zeros_or_the_sign(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        bool zeros;
    } cases[] = {{0x00050503, false}, {0x00054503, true},   /* lb, lbu */
                 {0x00051503, false}, {0x00055503, true},   /* lh, lhu */
                 {0x00052503, false}, {0x00056503, true},   /* lw, lwu */
                 {0x4108, false},     {0x4502, false},      /* c.lw, c.lwsp */
                 {0x8108, true},      {0x8148, true},       /* c.lbu with offsets 0 and 1 */
                 {0x810c, true},                            /* c.lbu of another register */
                 {0x8508, true},      {0x8548, false},      /* c.lhu, c.lh */
                 {0x60054573, false}, {0x60154573, true},   /* hlv.b, hlv.bu */
                 {0x64354573, true},  {0x1005252f, false},  /* hlvx.hu, lr.w */
                 {0x00b5252f, false}, {0x00056513, false}}; /* amoadd.w, ori */
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint32_t word = cases[i].word;
        assert_int_equal(rv_load_is_unsigned(word, rv_classify(word, RV_64)), cases[i].zeros);
    }
}

static void atomics_store_what_their_operation_says(void **state)
{
    (void)state;
    enum { MORE = 0x7ffffffe };
    static const struct {
        unsigned operation;
        bool swaps;
        uint64_t stored[2]; /* the low 4 or 8 bytes of 0x80000001 and MORE */
    } cases[] = {{0, false, {0xffffffff, 0xffffffff}},
                 {1, true, {MORE, MORE}},
                 {4, false, {0xffffffff, 0xffffffff}},
                 {8, false, {0xffffffff, 0xffffffff}},
                 {9, true, {MORE, MORE}},
                 {12, false, {0, 0}},
                 {16, false, {0x80000001, MORE}},
                 {20, false, {MORE, 0x80000001}},
                 {24, false, {MORE, MORE}},
                 {28, false, {0x80000001, 0x80000001}},
                 {2, false, {0, 0}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint32_t word = 0x0065222f | cases[i].operation << 27;
        const uint64_t word_stored = rv_amo_stores(word, 4, 0x80000001, MORE);
        assert_int_equal((uint32_t)word_stored, cases[i].stored[0]);
        assert_int_equal(rv_amo_stores(word, 8, 0x80000001, MORE), cases[i].stored[1]);
        assert_int_equal(rv_amo_swaps(word), cases[i].swaps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_another_implementation),
        cmocka_unit_test(other_words_compute_what_their_chapter_says),
        cmocka_unit_test(what_is_no_integer_computation_is_not_computed),
        cmocka_unit_test(a_computation_names_the_registers_that_it_needs),
        cmocka_unit_test(loads_extend_by_zeros_or_the_sign),
        cmocka_unit_test(atomics_store_what_their_operation_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
