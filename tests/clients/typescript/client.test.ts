// What a program in TypeScript does with the generated types; run by test_typescript_client.py.
// A line under @ts-expect-error has to be refused by the compiler.
import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import type { components, paths } from "./mlsysim.js";

type Schemas = components["schemas"];

const client = createClient<paths>({ baseUrl: process.env.MLSYSIM_URL });

test("the catalog index", async () => {
  const { data } = await client.GET("/catalog", {
    params: { query: { min_bandwidth: "3 TB/s", sort: "-bandwidth", limit: 3 } },
  });
  assert.ok(data);
  assert.deepEqual(data.entries.map((entry) => entry.kind), ["hardware", "hardware", "hardware"]);
  // @ts-expect-error there is no such order
  await client.GET("/catalog", { params: { query: { sort: "bandwidth_down" } } });
});

test("an entry has the type of its kind", async () => {
  const { data } = await client.GET("/catalog/nodes/{key}", { params: { path: { key: "DGX_H100" } } });
  assert.equal(data?.accelerators_per_node, 8);
  assert.deepEqual(data.intra_node_bandwidth, { value: 450, unit: "GB/s" });
});

test("a map of quantities", async () => {
  const body: Schemas["AmdahlScenario"] = {
    stages: { preprocess: "60 ms", model: { value: 45, unit: "ms" }, postprocess: "25 ms" },
    stage: "model",
    speedup: 3,
  };
  const { data } = await client.POST("/scenarios/AmdahlScenario/evaluate", { body });
  assert.ok(data);
  assert.deepEqual(data.result.total_time, { value: 130, unit: "ms" });
  assert.equal(data.result.overall_speedup, 1.3);
  // @ts-expect-error a time needs its unit
  body.stages.model = 45;
});

test("no bound on a number", async () => {
  const { data } = await client.POST("/scenarios/AmdahlScenario/evaluate", {
    body: { stages: { model: "45 ms", rest: "85 ms" }, stage: "model", speedup: "inf" },
  });
  assert.equal(data?.inputs.speedup, "inf");
});

test("hardware of one's own", async () => {
  const chip: Schemas["Hardware"] = {
    name: "my chip",
    compute: { peak: "17.6 GFLOP/s" },
    memory: { bandwidth: { value: 15, unit: "GB/s" } },
  };
  const { data } = await client.POST("/scenarios/RooflinePointScenario/evaluate", {
    body: { hardware: chip, intensity: "1 FLOP/byte" },
  });
  assert.deepEqual(data?.result.attainable, { value: 0.015, unit: "TFLOP/s" });
});

test("hardware of the catalog with changes", async () => {
  const { data } = await client.POST("/scenarios/RooflinePointScenario/evaluate", {
    body: { hardware: { ref: "H100", memory: { bandwidth: "4 TB/s" } }, intensity: "100 FLOP/byte" },
  });
  assert.deepEqual(data?.result.attainable, { value: 400, unit: "TFLOP/s" });
});

test("lists of numbers", async () => {
  const { data } = await client.POST("/scenarios/QuantizationGridScenario/evaluate", {
    body: { bits: 8, values: [-1, 0, 2] },
  });
  assert.deepEqual(data?.result.codes, [0, 85, 255]);
  assert.deepEqual(data.undefined, {});
});

test("a fleet in a fleet", async () => {
  const { data } = await client.POST("/scenarios/SelfContainedReplicaScenario/evaluate", {
    body: {
      workload: "GPT3",
      fleet: { node: { accelerator: "H100", accelerators_per_node: 4 }, count: 64 },
      bytes_per_param: "16 B",
    },
  });
  assert.equal(data?.result.tensor_parallel, 4);
});

test("a choice, defaults and undefined outputs", async () => {
  const { data } = await client.POST("/scenarios/SingleNodeInferenceScenario/evaluate", {
    body: { workload: "ResNet50", hardware: "H100", precision: "int8" },
  });
  assert.ok(data);
  assert.deepEqual(data.inputs.layer_overhead, { value: 10, unit: "us" });
  assert.equal(data.result.bottleneck, "Memory");
  assert.equal(data.result.offload_spill_bytes?.value, undefined);
  assert.equal(data.undefined.offload_spill_bytes, "the weights fit");
  assert.equal(data.warnings[0]?.code, "overhead_dominated");
  // @ts-expect-error an output that can be undefined may be null
  assert.throws(() => data.result.offload_spill_bytes.value);

  const again = await client.POST("/scenarios/SingleNodeInferenceScenario/evaluate", { body: data.inputs });
  assert.deepEqual(again.data, data);
});

test("whole numbers beyond 2^53, from the text of the answer", async () => {
  const images = { image_width: 94_906_267, image_height: 94_906_267, image_channels: 1, validation_examples: 50_000 };
  const { data } = await client.POST("/scenarios/InputSpaceScenario/evaluate", {
    body: { dataset: images, levels: 2 },
    parseAs: "text",
  });
  assert.match(data ?? "", /"elements":9007199515875289\b/);
});

test("a named configuration with a patch", async () => {
  const { data } = await client.POST("/scenarios/{name}/evaluate", {
    params: { path: { name: "ModelSpeedupRequestPath" } },
    body: { speedup: 10 },
  });
  assert.ok(data?.scenario === "AmdahlScenario");
  assert.deepEqual(data.result.upgraded_total_time, { value: 89.5, unit: "ms" });
});

test("an invalid request", async () => {
  const { data, error, response } = await client.POST("/scenarios/AmdahlScenario/evaluate", {
    body: { stages: { model: "45 GB" }, stage: "model", speedup: 3 },
  });
  assert.equal(data, undefined);
  assert.equal(response.status, 422);
  assert.equal(error?.type, "urn:mlsysim:invalid-inputs");
  assert.equal(error.errors?.[0]?.pointer, "/stages/model");
  // @ts-expect-error there is no such kind of problem
  assert.ok(error.type !== "urn:mlsysim:invalid");
});

test("a batch of an answer and a problem", async () => {
  const { data } = await client.POST("/batch", {
    body: {
      evaluations: [
        { name: "ModelSpeedupRequestPath", inputs: { speedup: 10 } },
        { name: "RooflinePointScenario", inputs: { hardware: "H100", intensity: "100 GB" } },
      ],
    },
  });
  const [answer, problem] = data?.answers ?? [];
  assert.ok(answer && "scenario" in answer && answer.scenario === "AmdahlScenario");
  assert.equal(answer.result.stage_reduction, 0.9);
  assert.ok(problem && "status" in problem);
  assert.equal(problem.errors?.[0]?.pointer, "/intensity");
});
