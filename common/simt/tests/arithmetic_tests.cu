/// \file
/// Device arithmetic: atomics, integers, mathematics, conversions, vectors. Valid CUDA: on a GPU the same
/// tests pass.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/simt/tests/launch.hpp"
#include "common/testing/catch.hpp"

using simt_tests::Buffer;
using simt_tests::run;

namespace {

struct Counters {
  int sum, difference, low, high, exchanged, bits_and, bits_or, bits_xor, swapped;
  unsigned unsigned_sum, unsigned_high, wrapped_up, wrapped_down;
  unsigned long long wide_sum, wide_high;
  float float_sum;
  double double_sum;
};

__global__ void use_atomics(Counters* c) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&c->sum, i);
  atomicSub(&c->difference, 2);
  atomicMin(&c->low, 50 - i);
  atomicMax(&c->high, i - 50);
  if (i == 77) atomicExch(&c->exchanged, i);
  atomicAnd(&c->bits_and, ~(i & 8));
  atomicOr(&c->bits_or, i);
  atomicXor(&c->bits_xor, i == 3 ? 5 : 0);
  atomicCAS(&c->swapped, i, i + 1);
  atomicAdd(&c->unsigned_sum, 3u);
  atomicMax(&c->unsigned_high, unsigned(i));
  atomicInc(&c->wrapped_up, 6u);
  atomicDec(&c->wrapped_down, 6u);
  atomicAdd(&c->wide_sum, 1ull << 33);
  atomicMax(&c->wide_high, (1ull << 40) + unsigned(i));
  atomicAdd(&c->float_sum, 0.5f);
  atomicAdd(&c->double_sum, 0.25);
}

__global__ void use_integers(long long* out) {
  int n = 0;
  out[n++] = __clz(1), out[n++] = __clz(0), out[n++] = __clz(-1), out[n++] = __clzll(1ll << 40);
  out[n++] = __popc(0xf0f0u), out[n++] = __popcll(~0ull), out[n++] = __ffs(0), out[n++] = __ffs(8);
  out[n++] = __ffsll(1ll << 50), out[n++] = __brev(1u), out[n++] = __umulhi(0xffffffffu, 0xffffffffu);
  out[n++] = __mulhi(-3, 1 << 30), out[n++] = (long long)(__umul64hi(~0ull, ~0ull)),
  out[n++] = __mul64hi(-1ll, 5ll);
  out[n++] = __funnelshift_l(0x80000000u, 1u, 1), out[n++] = __funnelshift_r(0x1u, 0x3u, 1);
  out[n++] = __byte_perm(0x33221100u, 0x77665544u, 0x6420u);
  out[n++] = __float_as_int(-2.0f), out[n++] = __float_as_uint(1.0f),
  out[n++] = int(__int_as_float(0x40400000));
  out[n++] = min(3, -4), out[n++] = max(3u, 4u), out[n++] = min(-1, 5u), out[n++] = max(-1ll, 5ll);
  out[n++] = __float2int_rn(2.5f), out[n++] = __float2int_rz(-2.7f), out[n++] = __float2int_rd(-2.2f);
  out[n++] = __float2int_ru(2.2f), out[n++] = __float2int_rz(1e20f), out[n++] = __float2uint_rz(-5.0f);
}

// Results of every thread, one row of kMathOutputs each.
constexpr int kMathOutputs = 20;
__global__ void use_math(const float* in, float* out) {
  const float x = in[threadIdx.x];
  float* row = out + kMathOutputs * threadIdx.x;
  float s, c;
  row[0] = sinf(x), row[1] = cosf(x), row[2] = powf(2.5f, x), row[3] = expf(x), row[4] = exp2f(x);
  row[5] = log2f(fabsf(x)), row[6] = rsqrtf(fabsf(x)), row[7] = sqrtf(fabsf(x)), row[8] = fmaf(x, x, 1.0f);
  row[9] = __fmaf_rn(x, 3.0f, -x), row[10] = floorf(x), row[11] = fminf(x, 0.5f), row[12] = rintf(x);
  sincosf(x, &s, &c);
  row[13] = s, row[14] = c;
  sincospif(x, &s, &c);
  row[15] = s, row[16] = c;
  row[17] = __saturatef(x), row[18] = fmodf(x, 2.0f), row[19] = tanhf(x);
}

__global__ void use_fast_math(const float* in, float* out) {
  const float x = in[threadIdx.x];
  float* row = out + 8 * threadIdx.x;
  float s, c;
  __sincosf(x, &s, &c);
  row[0] = __sinf(x), row[1] = __cosf(x), row[2] = __expf(x), row[3] = __logf(fabsf(x)),
  row[4] = __powf(2.5f, x);
  row[5] = s, row[6] = c, row[7] = __fdividef(x, 3.0f);
}

__global__ void use_cache_hints(const float4* in, float4* out, const int* a, int* b) {
  const unsigned i = threadIdx.x;
  __stcs(&out[i], make_float4(__ldg(&in[i]).y, __ldcs(&in[i]).x, __ldcg(&in[i]).w, __ldca(&in[i]).z));
  __stcg(&b[i], __ldg(a + i) + 1);
}

__constant__ float weights[4];
__device__ int device_counter;
__global__ void use_symbols(float* out) {
  out[threadIdx.x] = 2.0f * weights[threadIdx.x];
  atomicAdd(&device_counter, 1);
}

__global__ void use_halves(float* out, const __half2* pairs, const __nv_bfloat162* bpairs) {
  const __half a = __float2half(1.0f), b = __float2half(0x1p-11f);
  out[0] = __half2float(a + b);  // a tie goes to even
  out[1] = __half2float(__hfma(a, a, __float2half(0x1p-10f)));
  // 1024.5 + 2^-16: rounded once it is 1025; rounded to float first it becomes a tie, and then 1024.
  out[2] = __half2float(__hfma(__float2half(99.0f), __float2half(331.0f / 65536.0f), __float2half(1024.0f)));
  out[3] = float(__hadd2(pairs[0], pairs[1]).y), out[4] = float(__hmul2(pairs[0], pairs[1]).x);
  out[5] = __half22float2(__lowhigh2highlow(pairs[0])).x;
  out[6] = __bfloat162float(__float2bfloat16(1.0f + 0x1p-8f)),
  out[7] = float(__hfma2(bpairs[0], bpairs[1], bpairs[0]).x);
  out[8] = float(__hlt(a, b)), out[9] = float(__hmax(a, b)), out[10] = float(__ushort_as_half(0x7bff));
  out[11] = float(__half_as_ushort(__float2half(65520.0f))),
  out[12] = float(__bfloat16_as_ushort(__float2bfloat16(-0.0f)));
  out[13] = float(__half(3) * __half(2.0f)), out[14] = float(-__nv_bfloat16(1.5f)),
  out[15] = __half2float(hrsqrt(__float2half(4.0f)));
}

double units_in_last_place(float got, double want) {
  return std::fabs(double(got) - want) / std::fmax(std::ldexp(1.0, std::ilogb(want) - 23), 0x1p-149);
}

}  // namespace

TEST_CASE("atomics") {
  Counters start{};
  start.low = 1000, start.high = -1000, start.bits_and = -1, start.swapped = 0;
  Buffer<Counters> counters(std::vector<Counters>{start});
  REQUIRE(run(4, 32, use_atomics, counters.data()) == cudaSuccess);
  const Counters c = counters.download()[0];
  CHECK(c.sum == 127 * 128 / 2);
  CHECK(c.difference == -256);
  CHECK(c.low == 50 - 127);
  CHECK(c.high == 127 - 50);
  CHECK(c.exchanged == 77);
  CHECK(c.bits_and == ~8);
  CHECK(c.bits_or == 127);
  CHECK(c.bits_xor == 5);
  CHECK(c.swapped >= 1);
  CHECK(c.unsigned_sum == 384u);
  CHECK(c.unsigned_high == 127u);
  CHECK(c.wrapped_up == 128u % 7);
  CHECK(c.wrapped_down == (7 - 128u % 7) % 7);
  CHECK(c.wide_sum == 128ull << 33);
  CHECK(c.wide_high == (1ull << 40) + 127);
  CHECK(c.float_sum == 64.0f);
  CHECK(c.double_sum == 32.0);
}

TEST_CASE("integer intrinsics") {
  const std::vector<long long> want{31,
                                    32,
                                    0,
                                    23,
                                    8,
                                    64,
                                    0,
                                    4,
                                    51,
                                    0x80000000ll,
                                    0xfffffffell,
                                    -1,
                                    -2,
                                    -1,
                                    3,
                                    0x80000000ll,
                                    0x66442200ll,
                                    -1073741824,
                                    0x3f800000ll,
                                    3,
                                    -4,
                                    4,
                                    5,
                                    5,
                                    2,
                                    -2,
                                    -3,
                                    3,
                                    2147483647,
                                    0};
  Buffer<long long> out(want.size());
  REQUIRE(run(1, 1, use_integers, out.data()) == cudaSuccess);
  const std::vector<long long> got = out.download();
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(got[i] == want[i]);
  }
}

TEST_CASE("mathematics, within the error that CUDA documents") {
  const std::vector<float> in{0.1f, -0.75f, 1.0f, 3.25f, -5.5f, 0.5f, 7.0f, -2.0f};
  Buffer<float> arguments(in), out(in.size() * kMathOutputs);
  REQUIRE(run(1, unsigned(in.size()), use_math, arguments.data(), out.data()) == cudaSuccess);
  const std::vector<float> got = out.download();
  const double pi = std::acos(-1.0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = double(in[i]), size = std::fabs(x);
    const double turn = x - 2 * std::rint(x / 2);
    const std::vector<double> want{std::sin(x),         std::cos(x),         std::pow(2.5, x),
                                   std::exp(x),         std::exp2(x),        std::log2(size),
                                   1 / std::sqrt(size), std::sqrt(size),     x * x + 1,
                                   3 * x - x,           std::floor(x),       std::fmin(x, 0.5),
                                   std::rint(x),        std::sin(x),         std::cos(x),
                                   std::sin(pi * turn), std::cos(pi * turn), std::fmin(std::fmax(x, 0), 1),
                                   std::fmod(x, 2),     std::tanh(x)};
    for (std::size_t k = 0; k < want.size(); ++k) {
      CAPTURE(in[i], k, want[k], got[i * kMathOutputs + k]);
      if (std::fabs(want[k]) < 1e-15) {
        CHECK(std::fabs(got[i * kMathOutputs + k]) < 1e-6f);  // a zero of the function
      } else {
        CHECK(units_in_last_place(got[i * kMathOutputs + k], want[k]) <= 4);
      }
    }
  }
}

TEST_CASE("fast mathematics") {
  const std::vector<float> in{0.1f, -0.75f, 1.0f, 3.0f, -2.5f};
  Buffer<float> arguments(in), out(in.size() * 8);
  REQUIRE(run(1, unsigned(in.size()), use_fast_math, arguments.data(), out.data()) == cudaSuccess);
  const std::vector<float> got = out.download();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = double(in[i]);
    const std::vector<double> want{std::sin(x),      std::cos(x), std::exp(x), std::log(std::fabs(x)),
                                   std::pow(2.5, x), std::sin(x), std::cos(x), x / 3};
    for (std::size_t k = 0; k < want.size(); ++k)
      CHECK(double(got[i * 8 + k]) == Approx(want[k]).margin(2e-6).epsilon(1e-5));
  }
}

TEST_CASE("loads and stores with a cache hint") {
  Buffer<float4> in(std::vector<float4>{{1, 2, 3, 4}, {5, 6, 7, 8}}), out(2);
  Buffer<int> a(std::vector<int>{10, 20}), b(2);
  REQUIRE(run(1, 2, use_cache_hints, in.data(), out.data(), a.data(), b.data()) == cudaSuccess);
  const float4 v = out.download()[1];
  CHECK((v.x == 6 && v.y == 5 && v.z == 8 && v.w == 7));
  CHECK(b.download() == std::vector<int>{11, 21});
}

TEST_CASE("constant and device variables") {
  const float host[4] = {1, 2, 3, 4};
  const int zero = 0;
  REQUIRE(cudaMemcpyToSymbol(weights, host, sizeof host) == cudaSuccess);
  REQUIRE(cudaMemcpyToSymbol(device_counter, &zero, sizeof zero) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(weights, host, sizeof host, 4) == cudaErrorInvalidValue);
  cudaGetLastError();
  Buffer<float> out(4);
  REQUIRE(run(1, 4, use_symbols, out.data()) == cudaSuccess);
  CHECK(out.download() == std::vector<float>{2, 4, 6, 8});
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, device_counter, sizeof count) == cudaSuccess);
  CHECK(count == 4);
}

TEST_CASE("half and bfloat16") {
  const auto half_pair = [](float x, float y) { return __floats2half2_rn(x, y); };
  const auto bfloat16_pair = [](float x, float y) { return __floats2bfloat162_rn(x, y); };
  Buffer<__half2> pairs(std::vector<__half2>{half_pair(1.5f, 2), half_pair(4, 0.25f)});
  Buffer<__nv_bfloat162> bpairs(std::vector<__nv_bfloat162>{bfloat16_pair(3, 1), bfloat16_pair(5, 1)});
  Buffer<float> out(16);
  REQUIRE(run(1, 1, use_halves, out.data(), pairs.data(), bpairs.data()) == cudaSuccess);
  const std::vector<float> want{1, 0x1.004p0f, 1025,  2.25f,  6,      2, 1,     18,
                                0, 1,          65504, 0x7c00, 0x8000, 6, -1.5f, 0.5f};
  const std::vector<float> got = out.download();
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(got[i] == want[i]);
  }
}

TEST_CASE("vector types have CUDA's sizes and alignments") {
  CHECK((sizeof(float2) == 8 && alignof(float2) == 8));
  CHECK((sizeof(float3) == 12 && alignof(float3) == 4));
  CHECK((sizeof(float4) == 16 && alignof(float4) == 16));
  CHECK((sizeof(int4) == 16 && alignof(int4) == 16));
  CHECK((sizeof(uint2) == 8 && alignof(uint2) == 8));
  CHECK((sizeof(double2) == 16 && alignof(double2) == 16));
  CHECK((sizeof(ushort4) == 8 && alignof(ushort4) == 8));
  CHECK((sizeof(uchar4) == 4 && alignof(uchar4) == 4));
  CHECK((sizeof(char3) == 3 && alignof(char3) == 1));
  CHECK((sizeof(longlong2) == 16 && alignof(longlong2) == 16));
  CHECK((sizeof(__half) == 2 && alignof(__half) == 2));
  CHECK((sizeof(__half2) == 4 && alignof(__half2) == 4));
  CHECK((sizeof(__nv_bfloat162) == 4 && alignof(__nv_bfloat162) == 4));
  const uint4 v = make_uint4(1, 2, 3, 4);
  CHECK((v.x == 1 && v.w == 4));
}
