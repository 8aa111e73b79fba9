"""The publications that scenarios cite, each once."""

from mlsysim.catalog import Source


def _doi(title: str, doi: str) -> Source:
    return Source(title=title, url=f"https://doi.org/{doi}")


def _arxiv(title: str, number: str) -> Source:
    return Source(title=title, url=f"https://arxiv.org/abs/{number}")


AMDAHL_1967 = _doi(
    "G. M. Amdahl (1967), Validity of the single processor approach, AFIPS Spring Joint Computer Conference",
    "10.1145/1465482.1465560",
)
BARROSO_2007 = _doi(
    "L. A. Barroso, U. Hölzle (2007), The Case for Energy-Proportional Computing, IEEE Computer 40(12)",
    "10.1109/MC.2007.443",
)
CHEN_2016 = _doi("Y.-H. Chen, J. Emer, V. Sze (2016), Eyeriss, ISCA", "10.1109/ISCA.2016.40")
CHEN_2018 = _arxiv("T. Chen et al. (2018), TVM", "1802.04799")
CHOWDHERY_2022 = _arxiv(
    "A. Chowdhery et al. (2022), PaLM: Scaling Language Modeling with Pathways (defines model FLOPs utilization)",
    "2204.02311",
)
CUDA_GUIDE = Source(title="NVIDIA, CUDA C++ Programming Guide (asynchronous launches, CUDA Graphs)")
DEEPSEEK_2024 = _arxiv("DeepSeek-AI (2024), DeepSeek-V2 (compressed key-value cache)", "2405.04434")
FERNANDEZ_2023 = _arxiv("J. Fernandez et al. (2023), The Framework Tax", "2302.06117")
GHODSI_2011 = Source(
    title="A. Ghodsi et al. (2011), Dominant Resource Fairness: Fair Allocation of Multiple Resource Types, NSDI"
)
HILL_MARTY_2008 = _doi(
    "M. D. Hill, M. R. Marty (2008), Amdahl's Law in the Multicore Era, IEEE Computer 41(7)", "10.1109/MC.2008.209"
)
HOFFMANN_2022 = _arxiv("J. Hoffmann et al. (2022), Training Compute-Optimal Large Language Models", "2203.15556")
HONG_KUNG_1981 = _doi(
    "J.-W. Hong, H. T. Kung (1981), I/O complexity: the red-blue pebble game, STOC", "10.1145/800076.802486"
)
IEEE_754 = Source(title="IEEE 754-2019, roundTiesToEven", url="https://doi.org/10.1109/IEEESTD.2019.8766229")
JACOB_2018 = _arxiv(
    "B. Jacob et al. (2018), Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only "
    "Inference, CVPR",
    "1712.05877",
)
KAPLAN_2020 = _arxiv("J. Kaplan et al. (2020), Scaling Laws for Neural Language Models", "2001.08361")
LAM_1991 = _doi(
    "M. S. Lam, E. E. Rothberg, M. E. Wolf (1991), The cache performance and optimizations of blocked algorithms, "
    "ASPLOS IV",
    "10.1145/106972.106981",
)
NAGEL_2021 = _arxiv("M. Nagel et al. (2021), A White Paper on Neural Network Quantization", "2106.08295")
NARAYANAN_2021 = _arxiv(
    "D. Narayanan et al. (2021), Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC",
    "2104.04473",
)
ONNX_QUANTIZE = Source(
    title="ONNX operator specification, QuantizeLinear",
    url="https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html",
)
OR_2020 = Source(
    title="A. Or, H. Zhang, M. J. Freedman (2020), Resource Elasticity in Distributed Deep Learning, MLSys"
)
PASZKE_2019 = _arxiv("A. Paszke et al. (2019), PyTorch: An Imperative Style, High-Performance Library", "1912.01703")
POPE_2022 = _arxiv("R. Pope et al. (2022), Efficiently Scaling Transformer Inference", "2211.05102")
QIAO_2021 = _arxiv(
    "A. Qiao et al. (2021), Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning, OSDI",
    "2008.12260",
)
RAJBHANDARI_2020 = _arxiv(
    "S. Rajbhandari et al. (2020), ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC",
    "1910.02054",
)
SHAZEER_2019 = _arxiv("N. Shazeer (2019), Fast Transformer Decoding: One Write-Head is All You Need", "1911.02150")
WAHIB_2014 = _doi(
    "M. Wahib, N. Maruyama (2014), Scalable Kernel Fusion for Memory-Bound GPU Applications, SC", "10.1109/SC.2014.21"
)
WILLIAMS_2009 = _doi(
    "S. Williams, A. Waterman, D. Patterson (2009), Roofline: an insightful visual performance model for multicore "
    "architectures, CACM 52(4)",
    "10.1145/1498765.1498785",
)
