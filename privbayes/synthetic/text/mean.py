from statistics import fmean, pvariance
def analyse(path):  # the mean of a column
    with open(path, newline="", encoding="utf-8") as file:
        x = [float(row["<<OUTCOME>>"]) for row in csv.DictReader(file) if row["<<OUTCOME>>"] not in ("", "<<MISSING>>")]
    return fmean(x), pvariance(x) / len(x)
